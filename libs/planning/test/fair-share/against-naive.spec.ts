import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planGiven } from '#planning';
import { propertyRuns } from '../../testing/property-runs.js';
import { type NaivePlan, NaivePlanner } from './naive-plan.js';
import { crowdedCase, type FairShareCase, fairShareCase, manySmallCase } from './trees.js';

const RUNS = propertyRuns(25);

/** The part of the plan that the naive planner makes too. */
function comparable({ snapshot, settings }: FairShareCase): NaivePlan {
  const plan = planGiven({
    snapshot,
    trigger: { policy: 'fair-share' },
    settings: { ...settings, explain: true },
  });
  return {
    outcome: plan.outcome,
    victims: plan.victims.map(({ allocation, cause, preemptedFor }) => {
      return { allocation, cause: cause!, preemptedFor: preemptedFor ?? null };
    }),
    starts: plan.starts!.map(({ operation, pending, node, victims }) => {
      return { operation, pending, node, victims };
    }),
    answered: plan
      .reasons!.filter(({ answered }) => answered)
      .map(({ cause, kind, name }) => `${cause} ${kind} ${name}`),
    spared: Object.fromEntries(plan.spared!.map(({ allocation, reason }) => [allocation, reason])),
    states: Object.fromEntries(
      plan.statuses!.map(({ kind, name, status, starvation, satisfaction, localSatisfaction, ...rest }) => {
        const common = { status, starvation, satisfaction, localSatisfaction };
        const { priority, order, groups } = rest;
        return [name, kind === 'pool' ? common : { ...common, priority, order, groups }];
      }),
    ),
  };
}

/** A ratio of two sums that were rounded apart may differ in the last of the nine digits that are shown. */
const nearly = (states: NaivePlan['states']): NaivePlan['states'] =>
  JSON.parse(JSON.stringify(states), (key, value) =>
    key.toLowerCase().endsWith('satisfaction') && typeof value === 'number'
      ? expect.closeTo(value, 8)
      : value,
  );

it.each([
  ['any cluster', fairShareCase],
  ['full clusters', crowdedCase],
  ['many small allocations and large asks', manySmallCase],
])(
  'plans what a second planner plans that was written from the policy alone and keeps nothing: %s',
  (_, cases) => {
    fc.assert(
      fc.property(cases, (input) => {
        const { states, ...plan } = new NaivePlanner(input.snapshot, input.settings).plan();
        expect(comparable(input)).toEqual({ ...plan, states: nearly(states) });
      }),
      RUNS,
    );
  },
);
