import { describe, expect, it } from '@jest/globals';
import { shellCommands } from './shell-words.js';

const words = (line: string) => shellCommands(line).map((command) => command.words);

describe('a line for a shell', () => {
  it.each<[string, string[][]]>([
    [
      'npx curtail get queues | head -2',
      [
        ['npx', 'curtail', 'get', 'queues'],
        ['head', '-2'],
      ],
    ],
    [
      'curtail stop --reason "the \\"disk\\" is full" # now',
      [['curtail', 'stop', '--reason', 'the "disk" is full']],
    ],
    ["psql old -c 'a; b | c'", [['psql', 'old', '-c', 'a; b | c']]],
    ["--set a='b\\,c'", [['--set', 'a=b\\,c']]],
    ['curtail plan \\\n  --input -', [['curtail', 'plan', '--input', '-']]],
    [
      'export A=$(npm run -s infra -- status) B=1',
      [
        ['npm', 'run', '-s', 'infra', '--', 'status'],
        ['export', 'A=$(npm run -s infra -- status)', 'B=1'],
      ],
    ],
    ['cd a && ./b; c', [['cd', 'a'], ['./b'], ['c']]],
  ])('is split as a shell splits it: %s', (line, split) => {
    expect(words(line)).toEqual(split);
  });

  it('has variables and files apart', () => {
    expect(shellCommands("A=1 B='x y' curtail report --svg > out.svg")).toEqual([
      {
        variables: [
          ['A', '1'],
          ['B', 'x y'],
        ],
        words: ['curtail', 'report', '--svg'],
        writes: ['out.svg'],
      },
    ]);
  });
});
