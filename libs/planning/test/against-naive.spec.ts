import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Plan } from '#contracts';
import { planGiven } from '#planning';
import { propertyRuns } from '../testing/property-runs.js';
import { careCase, crowdedCase, gangCase, type PlanCase, planCase } from './generated-clusters.js';
import { type NaivePlan, naivePlan } from './naive-plan.js';

const RUNS = propertyRuns(200);

/** Notices that begin with the name that they are about; an owner stands behind the place of its entry. */
const named = new Set(
  'too-young gang queue-limit disruption-budget disruption-budget-passed owner-budget share-passed'.split(
    ' ',
  ),
);

function nameIn(message: string): string {
  const [, name = '', entry] =
    /^(?:Queue|Application|Budget|User) (.+?)(?: \(ownerBudgets\[(\d+)\]\))? (?:keeps|has|allows|gets)/.exec(
      message,
    )!;
  return entry === undefined ? name : `${entry} ${name === 'without a name' ? '' : name}`;
}

function fieldsOf<F extends 'unit' | 'overBudget'>(
  victims: Plan['victims'],
  field: F,
): Record<string, NonNullable<Plan['victims'][number][F]>> {
  return Object.fromEntries(
    victims.flatMap((victim) => (victim[field] === undefined ? [] : [[victim.allocation, victim[field]]])),
  );
}

/** The part of the plan that the naive planner makes too. */
function comparable({ snapshot, trigger, settings }: PlanCase): NaivePlan {
  const plan = planGiven({ snapshot, trigger, settings: { ...settings, explain: true } });
  const { apiVersion, kind, policy, queue, victims, spared, notices, ...rest } = plan;
  return {
    ...rest,
    victims: victims.map((victim) => victim.allocation),
    units: fieldsOf(victims, 'unit'),
    overBudget: fieldsOf(victims, 'overBudget'),
    spared: spared!.map(({ allocation, reason }) => ({ allocation, reason })),
    notices: [
      ...new Set(notices.map(({ code, message }) => (named.has(code) ? `${code} ${nameIn(message)}` : code))),
    ].sort(),
  };
}

it.each([
  ['any cluster', planCase],
  ['crowded clusters', crowdedCase],
  ['clusters with all inputs of victim care', careCase],
  ['clusters of gangs with victim care', gangCase],
])('plans what a second planner plans that was written from the specification alone: %s', (_, cases) => {
  fc.assert(
    fc.property(cases, (input) => {
      expect(comparable(input)).toEqual(naivePlan(input.snapshot, input.trigger, input.settings));
    }),
    RUNS,
  );
});
