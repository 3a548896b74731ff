import { expect, it } from '@jest/globals';
import { runPolicies } from '#enforcement';
import { roundPolicies } from './policies.js';

it('the policies that plan in rounds are those whose runs are rounds', () => {
  const rounds = [...runPolicies].filter(({ isRound }) => isRound).map(({ name }) => name);
  expect([...roundPolicies.names].sort()).toEqual(rounds.sort());
});
