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

describe('the settings of a queue', () => {
  it('reach the queue, numbers also from texts, what it protects also from the text of JSON', () => {
    const { errors, queues } = withProperties(
      `{curtail.miss: "10", curtail.fit: within, curtail.approveAboveVictims: 5, curtail.approveAbovePercent: "20",
            curtail.victimsPerSecond: 1, curtail.graceSeconds: 600, curtail.protect: '{"users": ["ann"]}',
            curtail.flapping: '{"turns": 4, "windowSeconds": 3600}'}`,
    );
    expect(errors).toEqual([]);
    expect(queues.find(({ path }) => path === 'root.a')?.properties).toEqual({
      'curtail.miss': 10,
      'curtail.fit': 'within',
      'curtail.approveAboveVictims': 5,
      'curtail.approveAbovePercent': 20,
      'curtail.victimsPerSecond': 1,
      'curtail.graceSeconds': 600,
      'curtail.protect': { users: ['ann'] },
      'curtail.flapping': { turns: 4, windowSeconds: 3600 },
    });
    expect(withProperties('{curtail.miss: 0}').queues[1]?.properties).toEqual({ 'curtail.miss': 0 });
    expect(withProperties('{curtail.miss: null}').queues[1]).not.toHaveProperty('properties');
  });

  it.each([
    ['true', true],
    ['"false"', false],
    ['{priorityAtLeast: 100, applications: [a-1]}', { priorityAtLeast: 100, applications: ['a-1'] }],
  ])('curtail.protect: %s is read', (written, value) => {
    const { errors, queues } = withProperties(`{curtail.protect: ${written}}`);
    expect(errors).toEqual([]);
    expect(queues[1]?.properties).toEqual({ 'curtail.protect': value });
  });

  it.each([['[{per: user, victims: 3, seconds: 60}]'], [`'[{"per": "user", "victims": 3, "seconds": 60}]'`]])(
    'curtail.ownerBudgets: %s is read',
    (written) => {
      const { errors, queues } = withProperties(`{curtail.ownerBudgets: ${written}}`);
      expect(errors).toEqual([]);
      expect(queues[1]?.properties).toEqual({
        'curtail.ownerBudgets': [{ per: 'user', victims: 3, seconds: 60 }],
      });
    },
  );

  const known =
    'curtail.miss, curtail.fit, curtail.guaranteedTypes, curtail.ageFrom, curtail.disruptionBudgets, curtail.ownerBudgets, curtail.gangs, curtail.protect, curtail.approveAboveVictims, curtail.approveAbovePercent, curtail.victimsPerSecond, curtail.graceSeconds, curtail.flapping, curtail.extensions, curtail.extensionSeconds, curtail.foresight, curtail.freeze';
  it.each([
    ['{curtail.miss: 101}', 'miss', 'it is 101; it must be a whole percentage from 0 to 100'],
    ['{curtail.miss: 1.5}', 'miss', 'it is "1.5"; it must be a whole percentage from 0 to 100'],
    ['{curtail.fit: 7}', 'fit', 'it is 7; it must be one of "cover", "within"'],
    ['{curtail.fit: [within]}', 'fit', 'a single value is expected here, not a list'],
    [
      '{curtail.victimsPerSecond: 0}',
      'victimsPerSecond',
      'it is 0; it must be a whole number from 1 to 10000',
    ],
    ['{curtail.foresight: maybe}', 'foresight', 'it is "maybe"; it must be one of "on", "off"'],
    ['{curtail.graceSeconds: 5m}', 'graceSeconds', 'it is "5m"; it must be a whole number from 0 to 86400'],
    [
      '{curtail.approveAboveVictims: -1}',
      'approveAboveVictims',
      'it is "-1"; it must be a whole number from 0 to 1000000',
    ],
    [
      '{curtail.approveAbovePercent: 101}',
      'approveAbovePercent',
      'it is 101; it must be a whole number from 0 to 100',
    ],
    [
      '{curtail.flapping: true}',
      'flapping',
      'it must be false (off), or an object such as {"turns": 4, "windowSeconds": 3600}',
    ],
    ['{curtail.ownerBudgets: user}', 'ownerBudgets', 'it is "user"; it must be a list'],
    [
      '{curtail.ownerBudgets: [{per: user, victims: 3, seconds: 7776001}]}',
      'ownerBudgets"[0].seconds',
      'victims are kept for 7776000 s (90 days); write at most that',
    ],
    ['{curtail.flapping: {turns: 4}}', 'flapping".windowSeconds', 'it is missing; it has no default'],
    [
      '{curtail.flapping: {turns: 0, windowSeconds: 5}}',
      'flapping".turns',
      'it is 0; it must be a whole number from 1 to 100',
    ],
    [
      '{curtail.ceilingPerHour: 5}',
      'ceilingPerHour',
      'it counts for the whole partition; set it for the root queue',
    ],
    ['{curtail.mis: 5}', 'mis', `unknown setting; a queue can have ${known}`],
  ])('are refused with their place: %s', (properties, name, message) => {
    const { errors } = withProperties(properties);
    expect(errors).toMatchObject([
      { path: `${at}."curtail.${name}${name.includes('"') ? '' : '"'}`, message, line: 6 },
    ]);
  });

  it.each([
    [
      'ann',
      '',
      'it must be true (all work of the queue), false, or an object such as {"users": ["ann"], "priorityAtLeast": 100}',
    ],
    ['[ann]', '', 'a single value is expected here, not a list'],
    ['{users: ann}', '.users', 'it is "ann"; it must be a list of strings'],
    ['{users: [1]}', '.users[0]', 'it is 1; it must be a string'],
    [
      '{queues: [root.a]}',
      '.queues',
      'it is not a known field; the known ones are applications, users, allocations, priorityAtLeast',
    ],
    [
      `'{"priorityAtLeast": "high"}'`,
      '.priorityAtLeast',
      'it is "high"; it must be a number, or null for none',
    ],
  ])('curtail.protect: %s is refused with its place', (written, behind, message) => {
    const { errors } = withProperties(`{curtail.protect: ${written}}`);
    expect(errors).toMatchObject([{ path: `${at}."curtail.protect"${behind}`, message, line: 6 }]);
  });
});
