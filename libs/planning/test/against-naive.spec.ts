import { planInput } from '@curtail/planning';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planCase } from './generated-clusters.js';
import { naivePlan } from './naive-plan.js';

const RUNS = Number(process.env.CURTAIL_PROPERTY_RUNS ?? 1500);

it('plans what a second planner plans that was written from the specification alone', () => {
  fc.assert(
    fc.property(planCase, ({ snapshot, trigger, settings }) => {
      const plan = planInput({ snapshot, trigger, settings: { ...settings, explain: true } });
      const { outcome, target, inFlight, claimed, shortfall, overshoot, collateral, shares, spared } = plan;
      expect({
        outcome,
        target,
        inFlight,
        claimed,
        shortfall,
        overshoot,
        collateral,
        shares,
        victims: plan.victims.map((victim) => victim.allocation),
        spared,
        notices: [...new Set(plan.notices.map((notice) => notice.code))],
      }).toEqual(naivePlan(snapshot, trigger, settings));
    }),
    { numRuns: RUNS },
  );
});
