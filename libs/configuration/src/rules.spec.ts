import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from './read-configuration.js';

const inDefault = (queues: string) => `partitions: [{name: default, queues: [${queues}]}]`;
const errorsOf = (text: string) => readConfiguration(text).errors.map(({ path }) => path);
const q = 'partitions[0].queues[0]';

describe('rule 1: partitions and root', () => {
  it('partition names are distinct without case', () => {
    expect(errorsOf('partitions: [{name: a, queues: []}, {name: A, queues: []}]')).toEqual([
      'partitions[1].name',
    ]);
    expect(errorsOf('partitions: [{queues: []}, {name: Default, queues: []}]')).toEqual([
      'partitions[1].name',
    ]);
    expect(errorsOf('partitions: [{name: a, queues: []}, {name: b, queues: []}]')).toEqual([]);
  });

  it.each(['partitions:', 'partitions: []', 'checksum: 1', '{}'])('%s lacks partitions', (text) => {
    expect(errorsOf(text)).toEqual(['partitions']);
  });

  it('queues must be there', () => {
    expect(errorsOf('partitions: [{name: a}]')).toEqual(['partitions[0].queues']);
    expect(errorsOf('partitions: [{name: a, queues: }]')).toEqual(['partitions[0].queues']);
  });

  it('a single top queue named root is the root, and otherwise one is put above', () => {
    const paths = (text: string) => readConfiguration(text).queues.map(({ path }) => path);
    expect(paths(inDefault('{name: ROOT, queues: [{name: a}]}'))).toEqual(['root', 'root.a']);
    expect(paths(inDefault('{name: a}'))).toEqual(['root', 'root.a']);
    expect(paths(inDefault('{name: root}, {name: a}'))).toEqual(['root', 'root.root', 'root.a']);
    expect(paths(inDefault(''))).toEqual(['root']);
  });

  it('root has neither max nor guaranteed', () => {
    const text = inDefault('{name: root, resources: {max: {memory: 1}, guaranteed: {memory: 1}}}');
    expect(errorsOf(text)).toEqual([`${q}.resources.max`, `${q}.resources.guaranteed`]);
    expect(errorsOf(inDefault('{name: root, resources: {quota.preemption.delay: 60}}'))).toEqual([]);
  });

  it('sibling names are distinct without case; cousins may share one', () => {
    expect(errorsOf(inDefault('{name: a}, {name: b}, {name: A}'))).toEqual(['partitions[0].queues[2].name']);
    expect(errorsOf(inDefault('{name: a, queues: [{name: c}]}, {name: b, queues: [{name: c}]}'))).toEqual([]);
  });

  it.each(['a.b', 'a b', "''", 'ü', 'x'.repeat(65), '[]', '~'])('%s is no queue name', (name) => {
    expect(errorsOf(inDefault(`{name: ${name}}`))).toEqual([`${q}.name`]);
  });

  it.each(['a', '"1"', '1', 'a_b:c#d/e@f-g', 'x'.repeat(64), 'true'])('%s is a queue name', (name) => {
    expect(errorsOf(inDefault(`{name: "${name.replaceAll('"', '')}"}, {name: other}`))).toEqual([]);
  });

  it('a queue needs a name', () => {
    expect(errorsOf(inDefault('{parent: true}'))).toEqual([`${q}.name`]);
  });
});

describe('rule 2: guaranteed and max of one queue', () => {
  it.each([
    [
      'memory: 120',
      'memory: 10G',
      'max is below guaranteed 10G: 120 has no unit and means 120 bytes; write 120G?',
    ],
    ['disk: 4', 'disk: 1Ti', 'max is below guaranteed 1099511627776: 4 has no unit and means 4; write 4Ti?'],
  ])('max {%s} below guaranteed {%s} lacks its unit', (max, guaranteed, message) => {
    const text = inDefault(`{name: a, resources: {\n  max: {${max}},\n  guaranteed: {${guaranteed}}}}`);
    const path = `${q}.resources.max.${max.split(':')[0]}`;
    expect(readConfiguration(text).errors).toMatchObject([{ path, message, line: 2 }]);
  });

  it.each([
    ['memory: 120', 'memory: 121'],
    ['memory: 1G', 'memory: 2G'],
    ['vcore: 1', 'vcore: 1500m'],
  ])('max {%s} below guaranteed {%s} is a fault of the guarantee', (max, guaranteed) => {
    const type = max.split(':')[0];
    expect(errorsOf(inDefault(`{name: a, resources: {max: {${max}}, guaranteed: {${guaranteed}}}}`))).toEqual(
      [`${q}.resources.guaranteed.${type}`],
    );
  });

  const queue = (max: string, guaranteed: string, delay: string | number) =>
    inDefault(
      `{name: a, resources: {max: {${max}}, guaranteed: {${guaranteed}}, quota.preemption.delay: ${delay}}}`,
    );
  const field = `${q}.resources.guaranteed.memory`;

  it.each([
    ['memory: 20G', 'memory: 20G', 0, true],
    ['memory: 20G', 'memory: 20G', 60, false],
    ['memory: 30G', 'memory: 20G', 60, true],
    ['memory: 20G', 'memory: 30G', 0, false],
    ['memory: 0', 'memory: 0', 60, true],
    ['memory: 30G', 'memory: 20G, vcore: 100', 60, true],
    ['vcore: 1', 'memory: 20G', 60, true],
  ])('max %s with guaranteed %s and delay %d: %s', (max, guaranteed, delay, fine) => {
    expect(errorsOf(queue(max, guaranteed, delay))).toEqual(fine ? [] : [field]);
  });

  it('is refused with the amounts as a configuration writes them', () => {
    const { errors } = readConfiguration(queue('memory: 40G, vcore: 1500m', 'memory: 50G, vcore: 2', 0));
    expect(errors.map(({ message }) => message)).toEqual([
      'guaranteed 50G is above max 40G; lower it to at most 40G, or raise max',
      'guaranteed 2 is above max 1500m; lower it to at most 1500m, or raise max',
    ]);
  });

  describe('equal, under a delay', () => {
    const fixed = (delay = '') => `{name: b, resources: {max: {memory: 5}, guaranteed: {memory: 5}${delay}}}`;
    const own = fixed(', quota.preemption.delay: 60');
    const inherited = (child: string) =>
      `{name: a, properties: {quota.preemption.delay: 1m}, queues: [${child}]}`;
    const withSwitch = (state: string, queues: string) =>
      `partitions: [{preemption: {quotapreemptionenabled: ${state}}, queues: [${queues}]}]`;
    const found = (text: string, options = {}) => {
      const { errors, warnings, valid } = readConfiguration(text, options);
      const equal = warnings.filter(({ code }) => code === 'guaranteed-equals-max');
      expect(valid).toBe(errors.length === 0);
      return {
        errors: errors.map(({ path }) => path),
        warnings: equal.map(({ path, line }) => [path, line]),
      };
    };
    const at = (queue: string) => `${queue}.resources.guaranteed.memory`;
    const warned = (queue: string) => ({ errors: [], warnings: [[at(queue), 1]] });

    it.each(['true', 'false'])('is a warning where the delay is inherited (switch %s)', (state) => {
      expect(found(withSwitch(state, inherited(fixed())))).toEqual(warned(`${q}.queues[0]`));
    });

    it('is an error where the queue sets the delay itself, also without a switch, which may be on elsewhere', () => {
      for (const text of [withSwitch('true', own), inDefault(own)]) {
        expect(found(text)).toEqual({ errors: [at(q)], warnings: [] });
        expect(readConfiguration(text).errors[0]!.message).toMatch(/guaranteedEqualsMax: allow/);
      }
      expect(found(inDefault(inherited(own)))).toEqual({ errors: [at(`${q}.queues[0]`)], warnings: [] });
    });

    it('is a warning where the partition is switched off, or the setting allows it', () => {
      expect(found(withSwitch('false', own))).toEqual(warned(q));
      expect(found(withSwitch('true', own), { guaranteedEqualsMax: 'allow' })).toEqual(warned(q));
    });

    it('is nothing without a delay in force', () => {
      const none = { errors: [], warnings: [] };
      expect(found(inDefault(inherited(fixed())), { delayInheritance: false })).toEqual(none);
      expect(found(inDefault(inherited(fixed(', quota.preemption.delay: 0'))))).toEqual(none);
      expect(found(inDefault(fixed()))).toEqual(none);
    });
  });
});

describe('rule 3: max under the max above', () => {
  it('holds for every ancestor, per type', () => {
    const text = (max: string) =>
      inDefault(
        `{name: a, resources: {max: {memory: 10}}, queues: [{name: b, resources: {max: {vcore: 5}}, queues: [{name: c, resources: {max: {${max}}}}]}]}`,
      );
    expect(errorsOf(text('memory: 10, vcore: 5, pods: 99'))).toEqual([]);
    expect(errorsOf(text('memory: 11, vcore: 6'))).toEqual([
      `${q}.queues[0].queues[0].resources.max.memory`,
      `${q}.queues[0].queues[0].resources.max.vcore`,
    ]);
  });
});

describe('rule 4: the guaranteed of children', () => {
  const children = (...memory: number[]) =>
    memory
      .map((amount, index) => `{name: c${index}, resources: {guaranteed: {memory: ${amount}, pods: 1}}}`)
      .join();

  it('adds up to at most that of the queue, in the types it names', () => {
    const text = (own: string, ...memory: number[]) =>
      inDefault(`{name: a, resources: {guaranteed: {${own}}}, queues: [${children(...memory)}]}`);
    expect(errorsOf(text('memory: 30', 10, 20))).toEqual([]);
    expect(errorsOf(text('memory: 29', 10, 20))).toEqual([`${q}.resources.guaranteed.memory`]);
    expect(errorsOf(text('vcore: 1', 10, 20))).toEqual([]);
    expect(errorsOf(text('memory: 0', 10))).toEqual([`${q}.resources.guaranteed.memory`]);
  });

  it('adds up to at most the smallest max of the chain', () => {
    const text = (outer: number, inner: number) =>
      inDefault(
        `{name: a, resources: {max: {memory: ${outer}}}, queues: [{name: b, resources: {max: {memory: ${inner}}}, queues: [${children(10, 20)}]}]}`,
      );
    expect(errorsOf(text(30, 30))).toEqual([]);
    expect(errorsOf(text(40, 29))).toEqual([`${q}.queues[0].resources.max.memory`]);
  });

  it('counts a queue without a guaranteed as the sum of its children', () => {
    const text = (guaranteed: string) =>
      inDefault(
        `{name: a, resources: {guaranteed: {memory: 25}}, queues: [{name: b, ${guaranteed} queues: [${children(10, 20)}]}]}`,
      );
    expect(errorsOf(text(''))).toEqual([`${q}.resources.guaranteed.memory`]);
    // With a guaranteed of its own, of whatever type, only that counts.
    expect(errorsOf(text('resources: {guaranteed: {vcore: 1}},'))).toEqual([]);
    expect(errorsOf(text('resources: {guaranteed: {vcore: 0}},'))).toEqual([
      `${q}.resources.guaranteed.memory`,
    ]);
  });
});

describe('independent quotas', () => {
  const read = (queues: string, is = 'true') =>
    readConfiguration(
      `partitions: [{name: default, preemption: {independentquotas: ${is}}, queues: [${queues}]}]`,
    );
  const contradictory = `{name: a, resources: {max: {memory: 10}, quota.preemption.delay: 60}, queues: [
      {name: b, resources: {max: {memory: 20}, guaranteed: {memory: 20}}},
      {name: c, resources: {max: {memory: 5}, guaranteed: {memory: 6}}, queues: [{name: d, resources: {max: {memory: 7}}}]}]}`;

  it('contradict nothing: what is guaranteed beyond a max is a warning', () => {
    const { errors, warnings, queues } = read(contradictory);
    expect(errors).toEqual([]);
    expect(warnings.map(({ code, path, about }) => [code, path, about.name])).toEqual([
      ['guaranteed-above-max', `${q}.resources.max.memory`, 'root.a'],
      ['guaranteed-above-max', `${q}.queues[1].resources.guaranteed.memory`, 'root.a.c'],
    ]);
    expect(queues.map(({ path, max }) => [path, max?.memory])).toEqual([
      ['root', undefined],
      ['root.a', 10],
      ['root.a.b', 20],
      ['root.a.c', 5],
      ['root.a.c.d', 7],
    ]);
  });

  it('are not usual', () => {
    expect(read(contradictory, 'false').errors.length).toBeGreaterThan(3);
    expect(read('', '"yes"').errors.map(({ path }) => path)).toEqual([
      'partitions[0].preemption.independentquotas',
    ]);
  });
});

describe('rule 5: maxapplications', () => {
  const text = (own: string, child: string) =>
    inDefault(`{name: a, maxapplications: ${own}, queues: [{name: b, ${child}}]}`);

  it('a child of a queue that has one has one that is not larger', () => {
    expect(errorsOf(text('10', 'maxapplications: 10'))).toEqual([]);
    expect(errorsOf(text('10', 'maxapplications: 11'))).toEqual([`${q}.queues[0].maxapplications`]);
    expect(errorsOf(text('10', 'parent: true'))).toEqual([`${q}.queues[0].maxapplications`]);
    expect(errorsOf(text('10', 'maxapplications: 0'))).toEqual([`${q}.queues[0].maxapplications`]);
    expect(errorsOf(text('0', 'maxapplications: 7'))).toEqual([]);
  });

  it.each(['-1', '1.5', 'many', '[]'])('%s is no number of applications', (value) => {
    expect(errorsOf(inDefault(`{name: a, maxapplications: ${value}}`))).toEqual([`${q}.maxapplications`]);
  });
});
