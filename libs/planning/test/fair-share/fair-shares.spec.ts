import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planGiven } from '#planning';
import { propertyRuns } from '../../testing/property-runs.js';
import { toNumber } from './fraction.js';
import { naiveFairShares } from './naive-fair-shares.js';
import { naiveTree, TYPES } from './naive-tree.js';
import { crowdedCase, type FairShareCase, fairShareCase } from './trees.js';

const RUNS = propertyRuns(60);

const statusesOf = ({ snapshot, settings }: FairShareCase) => {
  const trigger = { policy: 'fair-share' };
  return planGiven({ snapshot, trigger, settings: { ...settings, explain: true } }).statuses!;
};

it('the planner gives the fair shares that exact fractions give, function by function as the policy writes them', () => {
  fc.assert(
    fc.property(fc.oneof(fairShareCase, crowdedCase), (input) => {
      const exact = naiveFairShares(naiveTree(input.snapshot, input.settings));
      const statuses = statusesOf(input);
      const shares = statuses.map(({ name, fairShare }) =>
        exact.get(name)!.map((_, type) => [name, TYPES[type], fairShare[TYPES[type]!]]),
      );
      const expected = statuses.map(({ name }) =>
        exact.get(name)!.map((share, type) => [name, TYPES[type], expect.closeTo(toNumber(share), 8)]),
      );
      expect(shares).toEqual(expected);
    }),
    RUNS,
  );
});
