import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planGiven } from '#planning';
import { propertyRuns } from '../testing/property-runs.js';
import { crowdedInQueueCase, type InQueueCase, inQueueCase } from './generated-in-queue-clusters.js';
import { type NaiveInQueuePlan, naiveInQueuePlan } from './naive-in-queue-plan.js';

const RUNS = propertyRuns(150);

/** The part of the plan that the naive planner makes too. */
function comparable({ snapshot, trigger, settings }: InQueueCase): NaiveInQueuePlan {
  const plan = planGiven({ snapshot, trigger, settings: { ...settings, explain: true } });
  const { apiVersion, kind, policy, queue, observeOnly, victims, spared, notices, ...rest } = plan;
  return {
    ...rest,
    victims: victims.map((victim) => victim.allocation),
    spared: spared!,
    notices: notices
      .map(({ code, message }) => {
        const [, path] = /^(root\S*): /.exec(message) ?? [];
        return path === undefined ? code : `${code} ${path}`;
      })
      .sort(),
  };
}

it.each([
  ['any queues', inQueueCase],
  ['crowded queues', crowdedInQueueCase],
])('plans what a second planner plans that was written from the specification alone: %s', (_, cases) => {
  fc.assert(
    fc.property(cases, (input) => {
      expect(comparable(input)).toEqual(naiveInQueuePlan(input));
    }),
    RUNS,
  );
});
