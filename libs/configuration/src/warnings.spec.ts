import { describe, expect, it } from '@jest/globals';
import { type ConfigurationOptions, readConfiguration } from './read-configuration.js';
import { unknownTypeText } from './warnings.js';

const warningsOf = (preemption: string, queue: string, options: ConfigurationOptions = {}) =>
  readConfiguration(
    `partitions:\n  - name: default\n    preemption: {${preemption}}\n    queues:\n      - name: team\n        ${queue}\n`,
    options,
  ).warnings.filter(({ code }) => code === 'nothing-enforced');
const on = 'quotapreemptionenabled: true';
const max = 'resources: {max: {memory: 10G}}';
const delay = 'properties: {quota.preemption.delay: 10m}';

describe('a configuration with quotas of which nothing would be enforced', () => {
  it.each([
    ['without a delay', on, max, /because no queue with a max has a quota\.preemption\.delay: give one/],
    [
      'without the switch',
      '',
      `${max}\n        ${delay}`,
      /because preemption\.quotapreemptionenabled is not true: set/,
    ],
    [
      'switched off',
      'quotapreemptionenabled: false',
      `${max}\n        ${delay}`,
      /because preemption\.quota/,
    ],
    ['with neither', '', max, /no queue with a max has .*, and preemption\.quotapreemptionenabled is not/],
  ])('is warned of %s, at its partition', (_, preemption, queue, expected) => {
    const warnings = warningsOf(preemption, queue);
    expect(warnings).toEqual([
      expect.objectContaining({
        path: 'partitions[0].name',
        line: 2,
        message: expect.stringMatching(expected),
      }),
    ]);
    expect(warnings[0]!.message).toMatch(/^nothing will be enforced, because /);
  });

  it.each([
    ['with both', on, `${max}\n        ${delay}`, {}],
    [
      'with a delay, where the sender turns the switch on',
      '',
      `${max}\n        ${delay}`,
      { switchedOn: true },
    ],
    ['without a quota', '', 'submitacl: "*"', {}],
    ['of quotas that are set independently', 'independentquotas: true', max, {}],
  ])('is not one %s', (_, preemption, queue, options) => {
    expect(warningsOf(preemption, queue, options)).toEqual([]);
  });
});

describe('a type that nothing in the cluster has', () => {
  it.each([
    ['memroy', 'did you mean memory?'],
    ['vcor', 'did you mean vcore?'],
    ['tapes', 'did you mean tape?'],
    ['licences', 'is the name right?'],
  ])('is named with its effect, and with the one that %s may mean', (type, question) => {
    expect(unknownTypeText(type, new Set(['memory', 'tape']))).toBe(
      `nothing in the cluster has "${type}", so this limits and guarantees nothing; ${question}`,
    );
  });

  it('is not named while the types of the cluster are not known', () => {
    expect(unknownTypeText('memroy', undefined)).toBeUndefined();
  });
});
