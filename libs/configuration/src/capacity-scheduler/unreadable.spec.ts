import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../read-configuration.js';
import { writeHadoopXml } from './hadoop-properties.js';

const q = 'yarn.scheduler.capacity.';
const enabled = 'yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled';
type Properties = [name: string, value: string][];
const two: Properties = [
  [`${q}root.queues`, 'a,b'],
  [`${q}root.a.capacity`, '40'],
  [`${q}root.b.capacity`, '60'],
];
const read = (properties: Properties) =>
  readConfiguration(writeHadoopXml(properties.map(([name, value]) => ({ name, value }))));

/** Each with the keys that may have an error. What follows from their absence is none. */
const cases: [string, Properties, string[]][] = [
  ['a capacity', two.with(2, [`${q}root.b.capacity`, 'X']), [`${q}root.b.capacity`]],
  ['a list of queues', two.with(0, [`${q}root.queues`, 'X']), [`${q}root.queues`]],
  [
    'a weight, of whose siblings one has a maximum',
    [
      [`${q}root.queues`, 'a,b'],
      [`${q}root.a.capacity`, '1w'],
      [`${q}root.a.maximum-capacity`, '20'],
      [`${q}root.b.capacity`, 'X'],
    ],
    [`${q}root.b.capacity`],
  ],
  [
    'amounts with amounts below',
    [
      [`${q}root.queues`, 'a'],
      [`${q}root.a.capacity`, '[memory=4096]'],
      [`${q}root.a.queues`, 'b'],
      [`${q}root.a.b.capacity`, 'X'],
      [`${q}root.a.b.queues`, 'c'],
      [`${q}root.a.b.c.capacity`, '[memory=4096]'],
    ],
    [`${q}root.a.b.capacity`],
  ],
  [
    'a maximum',
    [...two, [`${q}root.b.maximum-capacity`, 'X'], [`${q}root.a.maximum-capacity`, '50']],
    [`${q}root.b.maximum-capacity`],
  ],
  [
    'whether sums may be zero',
    [
      [`${q}root.queues`, 'a'],
      [`${q}root.a.capacity`, '0'],
      [`${q}allow-zero-capacity-sum`, 'X'],
    ],
    [`${q}allow-zero-capacity-sum`],
  ],
  [
    'a limit for users with weights',
    [...two, [`${q}root.a.minimum-user-limit-percent`, 'X'], [`${q}root.a.user-settings.ann.weight`, '2']],
    [`${q}root.a.minimum-user-limit-percent`],
  ],
  [
    'such a limit for all queues',
    [...two, [`${q}minimum-user-limit-percent`, 'X'], [`${q}root.a.user-settings.ann.weight`, '2']],
    [`${q}minimum-user-limit-percent`],
  ],
  ['the switch of in-queue preemption', [...two, [enabled, 'X']], [enabled]],
];

describe('a key without a value that counts has one error, and none behind it', () => {
  it.each(cases)('%s, from a variable', (_, properties, paths) => {
    const variable = '$'.concat('{else.where}');
    const { errors, warnings } = read(
      properties.map(([name, value]) => [name, value === 'X' ? variable : value]),
    );
    expect(errors.map(({ path }) => path)).toEqual(paths);
    expect(errors[0]?.message).toContain('variables are not expanded; write the value');
    expect(warnings).toEqual([]);
  });

  it.each(cases)('%s, twice', (_, properties, paths) => {
    const twice = properties.flatMap(
      ([name, value]): Properties =>
        value === 'X'
          ? [
              [name, '1'],
              [name, 'true'],
            ]
          : [[name, value]],
    );
    const { errors, warnings } = read(twice);
    expect(errors.map(({ path }) => path)).toEqual(paths);
    expect(errors[0]?.message).toContain('this key occurs twice, with two values');
    expect(warnings).toEqual([]);
  });

  it('in a JSON object', () => {
    const text = `{"${q}root.queues": "a,b", "${q}root.a.capacity": 40, "${q}root.a.capacity": 30, "${q}root.b.capacity": 70}`;
    expect(readConfiguration(text).errors).toMatchObject([
      { message: 'this key occurs twice in one mapping; keep one of them' },
    ]);
  });

  it('in a queues.yaml', () => {
    const { errors } = readConfiguration(`partitions:
  - queues:
      - name: a
        resources: {max: {memory: 5G}, max: {memory: 50G}}
        queues: [{name: b, resources: {max: {memory: 20G}}}]`);
    expect(errors).toMatchObject([{ path: 'partitions[0].queues[0].resources.max', line: 4 }]);
  });
});

describe('a list of queues', () => {
  it.each(['a,b,', ',a,,b', 'a , b,\n', '\n  a,\n  b\n', 'a,\r\nb,\r\n'])(
    'is read as YARN reads it: %j',
    (list) => {
      const { errors, queues } = read(two.with(0, [`${q}root.queues`, list]));
      expect(errors).toEqual([]);
      expect(queues.map(({ path }) => path)).toEqual(['root', 'root.a', 'root.b']);
    },
  );

  it.each([',', ' , ,'])('needs a name: %j', (list) => {
    expect(read(two.with(0, [`${q}root.queues`, list])).errors).toMatchObject([
      { path: `${q}root.queues`, message: 'root has queues; name one or more, such as default' },
    ]);
  });

  it('without a comma has an error about that alone', () => {
    const { errors } = read([...two.with(0, [`${q}root.queues`, 'a,b\n  c']), [`${q}root.c.capacity`, '0']]);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('separate names by commas'),
    ]);
  });
});
