import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { naivePlan } from './naive-plan.js';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/vectors/${name}.json`, import.meta.url), 'utf8')).vectors;

interface Vector {
  name: string;
  kind: string;
  snapshot: never;
  trigger: never;
  settings: never;
  expect: {
    error?: unknown;
    outcome: string;
    victims: string[];
    spared?: Record<string, string>;
    units?: Record<string, number>;
    overBudget?: Record<string, string[]>;
    shares?: { queue: string; target: Record<string, number> }[];
    notices?: { code: string; names: string[] }[];
    noticesAbsent?: string[];
  };
}

describe('the second planner holds the vectors of victim care', () => {
  const plans = read('victim-care').filter((v: Vector) => v.kind === 'plan' && !v.expect.error) as Vector[];
  it.each(plans.map((vector) => [vector.name, vector] as const))(
    '%s',
    (_, { snapshot, trigger, settings, expect: expected }) => {
      const plan = naivePlan(snapshot, trigger, settings ?? {});
      expect(plan).toMatchObject({
        outcome: expected.outcome,
        victims: expected.victims,
        shares: expected.shares?.map(({ queue, target }) => ({ queue, target })) ?? plan.shares,
      });
      expect(
        Object.fromEntries(plan.spared.map(({ allocation, reason }) => [allocation, reason])),
      ).toMatchObject(expected.spared ?? {});
      if (expected.units !== undefined) expect(plan.units).toEqual(expected.units);
      if (expected.overBudget !== undefined) expect(plan.overBudget).toEqual(expected.overBudget);
      for (const { code, names } of expected.notices ?? []) {
        expect(plan.notices).toContainEqual(expect.stringMatching(new RegExp(`^${code}`)));
        const named = plan.notices.filter((notice) => notice.startsWith(`${code} `));
        if (named.length > 0) for (const name of names) expect(named.join('\n')).toContain(name);
      }
      for (const code of expected.noticesAbsent ?? []) {
        expect(plan.notices.map((notice) => notice.split(' ')[0])).not.toContain(code);
      }
    },
  );
});
