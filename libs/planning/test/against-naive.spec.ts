import { planGiven } from '@curtail/planning';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '../testing/property-runs.js';
import { crowdedCase, type PlanCase, planCase } from './generated-clusters.js';
import { type NaivePlan, naivePlan } from './naive-plan.js';

const RUNS = propertyRuns(500);

/** The part of the plan that the naive planner makes too. */
function comparable({ snapshot, trigger, settings }: PlanCase): NaivePlan {
  const plan = planGiven({ snapshot, trigger, settings: { ...settings, explain: true } });
  const { apiVersion, kind, policy, queue, victims, spared, notices, ...rest } = plan;
  return {
    ...rest,
    victims: victims.map((victim) => victim.allocation),
    spared: spared!,
    notices: [...new Set(notices.map((notice) => notice.code))],
  };
}

it.each([
  ['whatever a cluster may look like', planCase],
  ['crowded clusters', crowdedCase],
])('plans what a second planner plans that was written from the specification alone: %s', (_, cases) => {
  fc.assert(
    fc.property(cases, (input) => {
      expect(comparable(input)).toEqual(naivePlan(input.snapshot, input.trigger, input.settings));
    }),
    RUNS,
  );
});
