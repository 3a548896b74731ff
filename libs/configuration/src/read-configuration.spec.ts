import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

const queues = (lines: string) => `partitions:
  - name: default
    queues:
${lines.replace(/^/gm, '      ')}`;
const errorsOf = (text: string) => readConfiguration(text).errors.map(({ path, line }) => `${line} ${path}`);
const delaysOf = (text: string, delayInheritance?: boolean) =>
  Object.fromEntries(
    readConfiguration(text, delayInheritance === undefined ? {} : { delayInheritance }).queues.map(
      (queue) => [queue.path, queue.delaySeconds],
    ),
  );

describe('names and places', () => {
  it('gives every queue its values, in base units and in the order of the text', () => {
    const result = readConfiguration(
      queues(`- name: TeamA
  resources:
    max: {vcore: 10, memory: 20Gi}
    guaranteed: {memory: 1G}
    quota.preemption.delay: 7200
  queues:
    - name: batch
- name: other`),
    );
    expect(result.errors).toEqual([]);
    expect(result.partitions).toEqual([{ name: 'default', quotaPreemptionEnabled: false, policies: {} }]);
    expect(result.queues.map(({ path }) => path)).toEqual([
      'root',
      'root.teama',
      'root.teama.batch',
      'root.other',
    ]);
    expect(result.queues[1]).toEqual({
      partition: 'default',
      path: 'root.teama',
      max: { memory: 20 * 2 ** 30, vcore: 10_000 },
      guaranteed: { memory: 10 ** 9 },
      exact: { max: { memory: 20n * 2n ** 30n, vcore: 10_000n }, guaranteed: { memory: 10n ** 9n } },
      delaySeconds: 7200,
      delayMs: 7_200_000,
      parent: true,
    });
    expect(result.queues[2]).toMatchObject({
      max: null,
      guaranteed: null,
      delaySeconds: 7200,
      parent: false,
    });
  });

  it('names field, line and column of every problem at once', () => {
    const result = readConfiguration(
      queues(`- name: a
  resorces: {}
  resources:
    max:
      memory: 1.5G
      vcore: -1
- name: b!
  properties: {anything: goes}
  Queues: []`),
    );
    expect(result).toMatchObject({ valid: false, partitions: [], queues: [] });
    expect(result.errors).toMatchObject([
      { path: 'partitions[0].queues[0].resorces', line: 5, column: 9 },
      { path: 'partitions[0].queues[0].resources.max.memory', line: 8, column: 21 },
      { path: 'partitions[0].queues[0].resources.max.vcore', line: 9, column: 20 },
      { path: 'partitions[0].queues[1].name', line: 10, column: 15 },
      { path: 'partitions[0].queues[1].Queues', line: 12, column: 9 },
    ]);
    expect(result.errors[0]?.message).toContain('write resources');
    expect(result.errors[4]?.message).toContain('write queues');
  });

  it('carries more than 2^53 - 1 as that, and keeps every digit beside it', () => {
    const [, queue] = readConfiguration(queues('- {name: a, resources: {max: {memory: 9E}}}')).queues;
    expect(queue?.max).toEqual({ memory: 2 ** 53 - 1 });
    expect(queue?.exact.max).toEqual({ memory: 9_000_000_000_000_000_000n });
  });

  it('takes the same as JSON text and as a JSON value', () => {
    const json = {
      partitions: [{ queues: [{ name: 'a', resources: { guaranteed: { memory: '1G', pods: 5 } } }] }],
    };
    const fromValue = readConfiguration({ json });
    expect(fromValue.valid).toBe(true);
    expect(readConfiguration(JSON.stringify(json, null, '\t'))).toEqual(fromValue);
    expect(readConfiguration({ json: { partitions: [{ queues: [{ nme: 'a' }] }] } }).errors[0]).toEqual({
      path: 'partitions[0].queues[0].nme',
      message: expect.stringContaining('write name'),
    });
  });

  it('keeps resource types apart from what objects are made of', () => {
    const [, queue] = readConfiguration(queues('- {name: a, resources: {max: {__proto__: 5}}}')).queues;
    expect(Object.entries(queue?.exact.max ?? {})).toEqual([['__proto__', 5n]]);
  });
});

describe('known keys', () => {
  it.each([
    ['partition: []', 'partition'],
    ['partitions: [{queues: [], extra: 1}]', 'partitions[0].extra'],
    ['partitions: [{queues: [], preemption: {Enabled: true}}]', 'partitions[0].preemption.Enabled'],
    ['partitions: [{queues: [], nodesortpolicy: {kind: fair}}]', 'partitions[0].nodesortpolicy.kind'],
    ['partitions: [{queues: [], usergroupresolver: {kind: os}}]', 'partitions[0].usergroupresolver.kind'],
    ['partitions: [{queues: [], placementrules: [{nam: user}]}]', 'partitions[0].placementrules[0].nam'],
    [
      'partitions: [{queues: [], placementrules: [{parent: {parent: {x: 1}}}]}]',
      'partitions[0].placementrules[0].parent.parent.x',
    ],
    [
      'partitions: [{queues: [], placementrules: [{filter: {user: a}}]}]',
      'partitions[0].placementrules[0].filter.user',
    ],
    ['partitions: [{queues: [], limits: [{limt: a}]}]', 'partitions[0].limits[0].limt'],
    ['partitions: [{queues: [{name: a, limits: [{user: a}]}]}]', 'partitions[0].queues[0].limits[0].user'],
    ['partitions: [{queues: [{name: a, resources: {min: {}}}]}]', 'partitions[0].queues[0].resources.min'],
    [
      'partitions: [{queues: [{name: a, childtemplate: {limits: []}}]}]',
      'partitions[0].queues[0].childtemplate.limits',
    ],
    [
      'partitions: [{queues: [{name: a, childtemplate: {resources: {mx: {}}}}]}]',
      'partitions[0].queues[0].childtemplate.resources.mx',
    ],
  ])('%s', (text, path) => {
    expect(readConfiguration(text).errors.map((error) => error.path)).toContain(path);
  });

  it('every known key has its place', () => {
    const result = readConfiguration(`checksum: [1, 2]
partitions:
  - name: ''
    placementrules: [{name: tag, create: true, value: namespace, parent: {name: user, filter: {type: allow, users: [a], groups: [b]}}}]
    limits: [{limit: all, users: ['*'], groups: [g], maxresources: {memory: lots}, maxapplications: -5}]
    preemption: {enabled: perhaps, quotapreemptionenabled: true}
    nodesortpolicy: {type: no-such-policy, resourceweights: {vcore: 2.5}}
    usergroupresolver: {type: os}
    queues:
      - name: a
        parent: true
        resources: {max: {}, guaranteed: {}, quota.preemption.delay: 0}
        properties: {Any: 1, 'thing.at.all': true}
        maxapplications: 3
        adminacl: 'someone else'
        submitacl: '*'
        childtemplate: {maxapplications: 1, properties: {p: q}, resources: {max: {memory: 1}, guaranteed: {memory: 2}}}
        limits: []
        queues: []
`);
    expect(result.errors).toEqual([]);
    expect(result.partitions).toEqual([{ name: 'default', quotaPreemptionEnabled: true, policies: {} }]);
  });
});

describe('the switch', () => {
  it.each([
    ['{}', false],
    ['{quotapreemptionenabled: true}', true],
    ['{quotapreemptionenabled: false}', false],
    ['{enabled: true}', false],
  ])('%s is %s', (preemption, expected) => {
    const { partitions } = readConfiguration(`partitions: [{preemption: ${preemption}, queues: []}]`);
    expect(partitions[0]?.quotaPreemptionEnabled).toBe(expected);
  });

  it.each(['yes', '"true"', '1', '[]', '~'])('is true or false, not %s', (value) => {
    const text = `partitions: [{preemption: {quotapreemptionenabled: ${value}}, queues: []}]`;
    const expected = 'partitions[0].preemption.quotapreemptionenabled';
    expect(errorsOf(text)).toEqual([`1 ${expected}`]);
    // An older YAML has more words for true; they stay errors.
    expect(errorsOf(`%YAML 1.1\n---\n${text}`)).toEqual([`3 ${expected}`]);
  });
});

describe('delays', () => {
  const nested = (own: string) =>
    queues(`- name: a
  resources: {quota.preemption.delay: 120}
  queues:
    - name: b
      ${own}
      queues: [{name: c}]`);

  it('are inherited, and an own value wins, also 0', () => {
    expect(delaysOf(nested('parent: true'))).toMatchObject({ 'root.a.b': 120, 'root.a.b.c': 120, root: 0 });
    expect(delaysOf(nested('resources: {quota.preemption.delay: 0}'))).toMatchObject({ 'root.a.b.c': 0 });
    expect(delaysOf(nested('properties: {quota.preemption.delay: 5m}'))).toMatchObject({ 'root.a.b.c': 300 });
  });

  it('are not inherited if the setting disables it', () => {
    expect(delaysOf(nested('parent: true'), false)).toMatchObject({
      'root.a': 120,
      'root.a.b': 0,
      'root.a.b.c': 0,
    });
  });

  it('come down from the root', () => {
    const text =
      'partitions: [{queues: [{name: Root, properties: {quota.preemption.delay: 1h}, queues: [{name: a}]}]}]';
    expect(delaysOf(text)).toEqual({ root: 3600, 'root.a': 3600 });
  });

  it('may stand in both places with one length', () => {
    const both = (among: string) =>
      queues(`- name: a
  resources: {quota.preemption.delay: 60}
  properties: {quota.preemption.delay: ${among}}`);
    expect(errorsOf(both('1m'))).toEqual([]);
    expect(errorsOf(both('60000ms'))).toEqual([]);
    expect(errorsOf(both('61s'))).toEqual(['6 partitions[0].queues[0].properties."quota.preemption.delay"']);
  });

  it('keep their milliseconds, and their length up to 2^53 - 1 seconds', () => {
    expect(delaysOf(queues('- {name: a, properties: {quota.preemption.delay: 50ms}}'))).toMatchObject({
      'root.a': 0.05,
    });
    const longest = queues('- {name: a, resources: {quota.preemption.delay: 9223372036854775807}}');
    expect(readConfiguration(longest).queues[1]).toMatchObject({
      delaySeconds: Number.MAX_SAFE_INTEGER,
      delayMs: Number.MAX_SAFE_INTEGER,
    });
    const json = {
      partitions: [{ queues: [{ name: 'a', resources: { 'quota.preemption.delay': 2 ** 63 } }] }],
    };
    expect(readConfiguration({ json }).queues[1]?.delaySeconds).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each(['-1', '', '1.5', '5m', '[]', 'true'])('refuses %j beside max', (value) => {
    const text = queues(`- name: a\n  resources:\n    quota.preemption.delay: ${value}`);
    expect(errorsOf(text)).toEqual(['6 partitions[0].queues[0].resources."quota.preemption.delay"']);
  });

  it.each(['-1s', '', '5 m', '{}', 'never'])('refuses %j among the properties', (value) => {
    const text = queues(`- name: a\n  properties:\n    quota.preemption.delay: ${value}`);
    expect(errorsOf(text)).toEqual(['6 partitions[0].queues[0].properties."quota.preemption.delay"']);
  });
});

describe('warnings', () => {
  const codes = (text: string, types?: string[]) =>
    readConfiguration(text, {
      ...(types && { knownResourceTypes: new Set(types) }),
      switchedOn: true,
    }).warnings.flatMap(({ code, path, line }) =>
      code === 'nothing-enforced' ? [] : [`${code} ${line} ${path}`],
    );
  const delayed = (delay: string) =>
    queues(`- name: a\n  properties: {quota.preemption.delay: ${delay}}\n  queues: [{name: b}]`);

  it.each(['60s', '5h', '0', '0s'])('none for a delay of %s', (delay) => {
    expect(codes(delayed(delay))).toEqual([]);
  });

  it.each(['59999ms', '5h1ms', '1ns'])('delay-unusual for %s, on the queue that sets it only', (delay) => {
    expect(codes(delayed(delay))).toEqual([
      'delay-unusual 5 partitions[0].queues[0].properties."quota.preemption.delay"',
    ]);
  });

  it('delay-bare-number for digits among the properties', () => {
    expect(codes(delayed('300'))).toEqual([
      'delay-bare-number 5 partitions[0].queues[0].properties."quota.preemption.delay"',
    ]);
    expect(codes(queues('- {name: a, resources: {quota.preemption.delay: 300}}'))).toEqual([]);
  });

  it('unknown-resource-type for names of other systems, and with a snapshot for everything that it does not know', () => {
    const text = queues('- {name: a, resources: {max: {cpu: 1, vcore: 1, gpu: 1}, guaranteed: {cpu: 0}}}');
    const at = 'partitions[0].queues[0].resources';
    expect(codes(text)).toEqual([
      `unknown-resource-type 4 ${at}.max.cpu`,
      `unknown-resource-type 4 ${at}.max.gpu`,
      `unknown-resource-type 4 ${at}.guaranteed.cpu`,
    ]);
    expect(codes(text, ['cpu', 'vcore'])).toEqual([`unknown-resource-type 4 ${at}.max.gpu`]);
  });
});

describe('child templates', () => {
  it('have to be readable, and set no delay', () => {
    const text = queues(`- name: a
  parent: true
  childtemplate:
    resources: {max: {memory: 1.5G}, quota.preemption.delay: x}`);
    expect(errorsOf(text)).toEqual([
      '7 partitions[0].queues[0].childtemplate.resources.max.memory',
      '7 partitions[0].queues[0].childtemplate.resources."quota.preemption.delay"',
    ]);
    const delay = queues(
      '- {name: a, childtemplate: {resources: {quota.preemption.delay: 5}}, queues: [{name: b}]}',
    );
    expect(delaysOf(delay)).toEqual({ root: 0, 'root.a': 0, 'root.a.b': 0 });
    expect(readConfiguration(delay).warnings).toEqual([]);
  });
});
