import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

/** A configuration with these properties of the queue `root.a`. */
const withProperties = (properties: string) =>
  readConfiguration(`
partitions:
  - name: default
    queues:
      - name: a
        properties: ${properties}
`);
const at = 'partitions[0].queues[0].properties';

describe('the properties for victim care', () => {
  it('reach the queue as they were typed, other properties and null do not', () => {
    const { errors, warnings, queues } = withProperties(
      '{quota.preemption.min.run: 600, quota.preemption.share: "40", quota.preemption.limit: {memory: 9223372036854775807, vcore: 4}, other: 1}',
    );
    expect(errors).toEqual([]);
    expect(warnings).toEqual([]);
    expect(queues.find(({ path }) => path === 'root.a')?.properties).toEqual({
      'quota.preemption.min.run': 600,
      'quota.preemption.share': '40',
      'quota.preemption.limit': { memory: '9223372036854775807', vcore: '4' },
    });
    const none = withProperties(
      '{quota.preemption.min.run: null, quota.preemption.share: ~, quota.preemption.limit: , other: 1}',
    );
    expect(none.errors).toEqual([]);
    expect(none.queues.find(({ path }) => path === 'root.a')).not.toHaveProperty('properties');
  });

  it.each([
    ['quota.preemption.min.run', '1h30m'],
    ['quota.preemption.min.run', '0'],
    ['quota.preemption.min.run', '"600"'],
    ['quota.preemption.min.run', '1.5ms'],
    ['quota.preemption.share', '0'],
    ['quota.preemption.share', '100'],
    ['quota.preemption.limit', '{}'],
    ['quota.preemption.limit', '"{memory: 10G, vcore: 500m}"'],
    ['quota.preemption.limit', '"{\\"nvidia.com/gpu\\": \\"2\\"}"'],
    ['quota.preemption.limit', '"memory: 10G\\nvcore: 4"'],
  ])('%s: %s is read', (name, value) => {
    expect(withProperties(`{${name}: ${value}}`).errors).toEqual([]);
  });

  it.each([
    ['quota.preemption.min.run', 'soon', ''],
    ['quota.preemption.min.run', '-1', ''],
    ['quota.preemption.min.run', '1.5', ''],
    ['quota.preemption.min.run', '""', ''],
    ['quota.preemption.min.run', 'true', ''],
    ['quota.preemption.min.run', '2562048h', ''],
    ['quota.preemption.min.run', '[1]', ''],
    ['quota.preemption.share', '101', ''],
    ['quota.preemption.share', '-1', ''],
    ['quota.preemption.share', '40.5', ''],
    ['quota.preemption.share', '40%', ''],
    ['quota.preemption.share', '""', ''],
    ['quota.preemption.share', 'true', ''],
    ['quota.preemption.limit', '10G', ''],
    ['quota.preemption.limit', '10', ''],
    ['quota.preemption.limit', '""', ''],
    ['quota.preemption.limit', '[memory]', ''],
    ['quota.preemption.limit', '"[memory]"', ''],
    ['quota.preemption.limit', '"{memory: 1, memory: 2}"', ''],
    ['quota.preemption.limit', '"{memory: *a}"', '.memory'],
    ['quota.preemption.limit', `"${'['.repeat(1900)}"`, ''],
    ['quota.preemption.limit', `"{memory: 1}${' '.repeat(2000)}"`, ''],
    ['quota.preemption.limit', '{memory: 10X}', '.memory'],
    ['quota.preemption.limit', '{memory: null}', '.memory'],
    ['quota.preemption.limit', '{memory: true}', '.memory'],
    ['quota.preemption.limit', '{memory: {a: 1}}', '.memory'],
    ['quota.preemption.limit', '{nvidia.com/gpu: 1.5}', '."nvidia.com/gpu"'],
    ['quota.preemption.limit', '"{memory: 1.5G}"', '.memory'],
    ['quota.preemption.limit', '"{memory: {a: 1}}"', '.memory'],
    ['quota.preemption.limit', '"{memory}"', '.memory'],
    ['quota.preemption.limit', '"{memory: 500m}"', '.memory'],
  ])('%s: %s is an error', (name, value, behind) => {
    expect(withProperties(`{${name}: ${value}}`).errors.map(({ path }) => path)).toEqual([
      `${at}."${name}"${behind}`,
    ]);
  });

  it('of a child template are checked, and its share has no effect', () => {
    const queues = (share: string) =>
      readConfiguration(`
partitions:
  - name: default
    queues:
      - name: a
        properties: {quota.preemption.share: 60}
        childtemplate: {properties: {quota.preemption.share: ${share}, quota.preemption.min.run: 5m}}
      - name: b
        properties: {quota.preemption.share: 40}
`);
    expect(queues('50').errors).toEqual([]);
    expect(queues('101').errors.map(({ path }) => path)).toEqual([
      'partitions[0].queues[0].childtemplate.properties."quota.preemption.share"',
    ]);
  });

  it('may give the children of one queue 100 percent together, and not those of another', () => {
    const { errors } = readConfiguration(`
partitions:
  - name: default
    queues:
      - name: p
        properties: {quota.preemption.share: 50}
        queues:
          - {name: b, properties: {quota.preemption.share: 60}}
          - {name: a, properties: {quota.preemption.share: 41}}
          - {name: c, properties: {quota.preemption.share: 1}}
      - name: q
        properties: {quota.preemption.share: 50}
`);
    expect(errors.map(({ path, line }) => [path, line])).toEqual([
      ['partitions[0].queues[0].queues[1].properties."quota.preemption.share"', 9],
    ]);
  });
});

describe('the settings of plans', () => {
  it('reach the queue, numbers also from texts', () => {
    const { errors, queues } = withProperties('{curtail.miss: "10", curtail.fit: within}');
    expect(errors).toEqual([]);
    expect(queues.find(({ path }) => path === 'root.a')?.properties).toEqual({
      'curtail.miss': 10,
      'curtail.fit': 'within',
    });
    expect(withProperties('{curtail.miss: 0}').queues[1]?.properties).toEqual({ 'curtail.miss': 0 });
    expect(withProperties('{curtail.miss: null}').queues[1]).not.toHaveProperty('properties');
  });

  it.each([
    ['{curtail.miss: 101}', 'curtail.miss', 'it is 101; it has to be a whole percent from 0 to 100'],
    ['{curtail.miss: 1.5}', 'curtail.miss', 'it is "1.5"; it has to be a whole percent from 0 to 100'],
    ['{curtail.fit: 7}', 'curtail.fit', 'it is 7; it has to be one of "cover", "within"'],
    ['{curtail.fit: [within]}', 'curtail.fit', 'a single value is expected here, not a list'],
    [
      '{curtail.mis: 5}',
      'curtail.mis',
      'unknown setting; curtail.miss and curtail.fit can be set for a queue',
    ],
  ])('are refused with their place: %s', (properties, name, message) => {
    const { errors } = withProperties(properties);
    expect(errors).toMatchObject([{ path: `${at}."${name}"`, message, line: 6 }]);
  });
});
