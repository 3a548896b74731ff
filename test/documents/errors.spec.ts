import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Where errors without a code may be made, and why. */
const mayBePlain: [RegExp, string][] = [
  [/-patches\//, 'in the place of an error of the library'],
  [/\/kafka-trouble\.ts:.*new Error\(String\(/, 'a thrown value that is no error'],
  [/\/over-http\.ts:.*TypeError/, 'what fetch throws, in whose place it is'],
  [/\/within\.ts:.*DOMException/, 'the reason with which AbortSignal.timeout aborts'],
  [/\/cli\/input\/json\.ts:.*enough/, 'ends the reading of a text, and is caught there'],
];

/** Errors of the language and of the framework: they have no code. */
const plainError = /\bnew ((Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error|(?!Problem)\w+Exception)\(/;

it('errors have a code, by which programs and logs tell them apart', () => {
  const files = execFileSync('git', ['ls-files', 'apps/*.ts', 'libs/*.ts'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((path) => path.includes('/src/') && !/\.spec\.ts$|\/testing\//.test(path));
  const plain = files.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => (plainError.test(line) ? [`${path}: ${line.trim()}`] : [])),
  );
  const unexpected = plain.filter(
    (line) => !mayBePlain.some(([where]) => where.test(line.replace(': ', ':'))),
  );
  expect(unexpected).toEqual([]);
  const unused = mayBePlain.filter(([where]) => !plain.some((line) => where.test(line.replace(': ', ':'))));
  expect(unused).toEqual([]);
});
