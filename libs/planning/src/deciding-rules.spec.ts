import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { plan, readSnapshot } from '#planning';
import { policyWords, shortReason, wordsOfRule } from '#planning/words';
import type { PlanVector } from '../../../test/vectors/vector.js';
import { type DecidedCandidate, DecidingRules, decisionsOf } from './deciding-rules.js';

const vectors = ['quota-decrease', 'victim-care', 'intra-queue', 'fair-share'].flatMap((name) => {
  const file = new URL(`../../../test/vectors/${name}.json`, import.meta.url);
  const read: PlanVector[] | { vectors: PlanVector[] } = JSON.parse(readFileSync(file, 'utf8'));
  const all = Array.isArray(read) ? read : read.vectors;
  return all.filter(({ kind = 'plan', expect: { error } }) => kind === 'plan' && error === undefined);
});

const planned = vectors.map(({ name, snapshot, trigger, settings }) => {
  const rules = new DecidingRules();
  const read = readSnapshot(snapshot);
  const made = plan(read, trigger, settings, rules);
  const byRank = [...decisionsOf(rules.runs)];
  return { name, made, alone: plan(read, trigger, settings), byRank };
});

/** The sentence without the queue and the amounts, which a table shows. */
const withoutTarget = (reason: string) =>
  reason.split('; it gives')[0]!.replace(/^(Number \d+ of \d+) in \S+,/, '$1,');

describe('the deciding rules beside a plan', () => {
  it.each(planned.map((each): [string, typeof each] => [each.name, each]))('of %s', (_, each) => {
    const { made, alone, byRank } = each;
    expect(JSON.stringify(made)).toBe(JSON.stringify(alone));
    expect(byRank).toHaveLength(made.victims.length);
    for (const [i, { reason, cause }] of made.victims.entries()) {
      const { rule, facts = {} } = byRank[i]!;
      expect(shortReason(rule, facts, String) ?? reason).toBe(withoutTarget(reason));
      if (cause !== undefined) expect(rule).toBe(cause);
      else if (rule === 'gang') expect(reason).toMatch(/^Goes with \S+: /);
      else if (rule === 'user-limit') expect(reason).toMatch(/ gives way: .+ uses .+, and its limit is /);
      else expect(reason).toContain(wordsOfRule(rule));
    }
  });

  it('are each found in some plan, and no two have the same code', () => {
    const codes = policyWords.flatMap(({ rules }) => Object.keys(rules));
    expect(new Set(codes).size).toBe(codes.length);
    expect(new Set(planned.flatMap(({ byRank }) => byRank.map(({ rule }) => rule)))).toEqual(new Set(codes));
  });

  it('are one entry for each run of victims with the same rule', () => {
    const rules = new DecidingRules();
    for (const rule of ['younger', 'younger', 'last', 'younger'] as const) rules.add(rule);
    expect(rules.runs).toEqual([
      { rule: 'younger', count: 2 },
      { rule: 'last', count: 1 },
      { rule: 'younger', count: 1 },
    ]);
  });

  it('have each fact once where all of these victims share it', () => {
    const rules = new DecidingRules();
    const decisions: DecidedCandidate[] = [
      { rule: 'younger', facts: { number: 1, of: 3 } },
      { rule: 'younger', facts: { number: 2, of: 3 } },
      { rule: 'younger', facts: { number: 3, of: 3, optedOut: true } },
      { rule: 'gang' },
    ];
    for (const { rule, facts } of decisions) rules.add(rule, facts);
    expect(rules.runs).toEqual([
      { rule: 'younger', count: 2, facts: { number: [1, 2], of: 3 } },
      { rule: 'younger', count: 1, facts: { number: 3, of: 3, optedOut: true } },
      { rule: 'gang', count: 1 },
    ]);
    expect([...decisionsOf(rules.runs)]).toEqual(decisions);
  });
});
