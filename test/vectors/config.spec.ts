import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readConfigurationLine } from '#configuration';

interface ConfigVector {
  name: string;
  kind: string;
  config: unknown;
  settings?: unknown;
  expect: { valid: boolean; effectiveDelay?: Record<string, number>; quotaPreemptionEnabled?: boolean };
}

const { vectors } = JSON.parse(readFileSync(new URL('./quota-decrease.json', import.meta.url), 'utf8')) as {
  vectors: ConfigVector[];
};

describe('vectors of kind config', () => {
  const cases = vectors
    .filter(({ kind }) => kind === 'config')
    .map((vector) => [vector.name, vector] as const);

  it.each(cases)('%s', (_, { config, settings, expect: expected }) => {
    const result = readConfigurationLine(JSON.stringify({ format: 'yunikorn', config, settings }));
    expect(result.valid).toBe(expected.valid);
    if (expected.quotaPreemptionEnabled !== undefined) {
      expect(result.partitions[0]?.quotaPreemptionEnabled).toBe(expected.quotaPreemptionEnabled);
    }
    for (const [path, delay] of Object.entries(expected.effectiveDelay ?? {})) {
      // Names are kept in lower case (docs/reference/policies/quota-decrease.md §2.3).
      const queue = result.queues.find((candidate) => candidate.path === path.toLowerCase());
      expect(queue?.delaySeconds).toBe(delay);
    }
  });

  it('there are some', () => {
    expect(cases.length).toBeGreaterThanOrEqual(10);
  });
});
