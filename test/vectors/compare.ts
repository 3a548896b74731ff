import type { ClusterSnapshot, Plan, Resources } from '#contracts';
import { brokenFloors } from './floors.js';
import { permutations } from './permute.js';
import type { ExpectedShare, PlanExpectation } from './vector.js';

type Check = (plan: Plan, expected: never, context: Context) => string[];

export interface Context {
  snapshot: ClusterSnapshot;
  /** Plans the same trigger with the same settings on another snapshot. */
  replan: (snapshot: ClusterSnapshot) => Plan;
}

/**
 * Compares a plan with the expectation of a vector. Returns what differs, one sentence each; nothing if it agrees. An
 * expectation with a word that is not known here does not agree with anything.
 */
export function differences(plan: Plan, expected: PlanExpectation, context: Context): string[] {
  const { acceptable = [], ...main } = expected;
  const found = againstOne(plan, main, context);
  const other = acceptable.some((words) => againstOne(plan, { ...main, ...words }, context).length === 0);
  return other ? [] : found;
}

function againstOne(plan: Plan, expected: PlanExpectation, context: Context): string[] {
  return Object.entries(expected).flatMap(([word, value]) => {
    const check = (CHECKS as Record<string, Check>)[word];
    if (check === undefined) return [`${word}: this comparison does not know the word`];
    return check(plan, value as never, context).map((difference) => `${word}: ${difference}`);
  });
}

const ids = (plan: Plan): string[] => plan.victims.map((victim) => victim.allocation);

const CHECKS = {
  outcome: (plan: Plan, expected: string) => same(plan.outcome, expected),
  target: (plan: Plan, expected: Resources) => sameAmounts(plan.target, expected),
  targetAnyOf: (plan: Plan, expected: Resources[]) =>
    expected.some((amounts) => sameAmounts(plan.target, amounts).length === 0)
      ? []
      : same(plan.target, expected),
  claimed: (plan: Plan, expected: Resources) => sameAmounts(plan.claimed, expected),
  claimedAtLeast: (plan: Plan, expected: Resources) =>
    within(plan.claimed, expected, (is, limit) => is >= limit),
  claimedAtMost: (plan: Plan, expected: Resources) =>
    within(plan.claimed, expected, (is, limit) => is <= limit),
  shortfall: (plan: Plan, expected: Resources) => sameAmounts(plan.shortfall, expected),
  victims: (plan: Plan, expected: string[]) => same(ids(plan), expected),
  victimsUnordered: (plan: Plan, expected: string[]) => same(ids(plan).sort(), [...expected].sort()),
  victimsGroups: (plan: Plan, expected: string[][]) => {
    const left = ids(plan);
    const groups = expected.map((group) => left.splice(0, group.length).sort());
    return same([...groups, left], [...expected.map((group) => [...group].sort()), []]);
  },
  victimsCount: (plan: Plan, expected: number) => same(plan.victims.length, expected),
  mustInclude: (plan: Plan, expected: string[]) =>
    expected.filter((id) => !ids(plan).includes(id)).map((id) => `${id} is no victim`),
  mustNotInclude: (plan: Plan, expected: string[]) =>
    expected.filter((id) => ids(plan).includes(id)).map((id) => `${id} is a victim`),
  shares: (plan: Plan, expected: ExpectedShare[]) =>
    ofQueues(plan, expected, (share, { target, releasable }) => [
      ...(target === undefined ? [] : sameAmounts(share.target, target)),
      ...(releasable === undefined ? [] : sameAmounts(share.releasable, releasable)),
    ]),
  sharesAbsent: (plan: Plan, expected: string[]) =>
    expected
      .filter((queue) => plan.shares.some((share) => share.queue === queue))
      .map((queue) => `${queue} is listed`),
  sharesAbsentOrZero: (plan: Plan, expected: string[]) =>
    plan.shares
      .filter(
        (share) => expected.includes(share.queue) && Object.values(share.target).some((amount) => amount > 0),
      )
      .map((share) => `${share.queue} has to give ${JSON.stringify(share.target)}`),
  sharesNear: (plan: Plan, expected: ExpectedShare[]) =>
    ofQueues(plan, expected, (share, { target = {}, tolerance = {} }) =>
      within(share.target, target, (is, near, type) => Math.abs(is - near) <= (tolerance[type] ?? 0)),
    ),
  sharesAtMost: (plan: Plan, expected: ExpectedShare[]) =>
    ofQueues(plan, expected, (share, { target = {} }) =>
      within(share.target, target, (is, most) => is <= most),
    ),
  sharesSum: (plan: Plan, { leaves, ...amounts }: { leaves: string[] } & Record<string, unknown>) => {
    const shares = plan.shares.filter((share) => leaves.includes(share.queue));
    const sum = (type: string): number =>
      shares.reduce((total, share) => total + (share.target[type] ?? 0), 0);
    return Object.entries(amounts).flatMap(([type, amount]) => same(sum(type), amount));
  },
  collateral: (plan: Plan, expected: Resources) => sameAmounts(plan.collateral, expected),
  spared: (plan: Plan, expected: Record<string, string>) =>
    Object.entries(expected).flatMap(([id, reason]) => {
      const entry = plan.spared?.find(({ allocation }) => allocation === id);
      return same(entry?.reason, reason).map((difference) => `${id}: ${difference}`);
    }),
  units: (plan: Plan, expected: Record<string, number>) => sameFields(plan, 'unit', expected),
  overBudget: (plan: Plan, expected: Record<string, string[]>) => sameFields(plan, 'overBudget', expected),
  notices: (plan: Plan, expected: { code: string; names: string[] }[]) =>
    expected
      .filter(
        ({ code, names }) =>
          !plan.notices.some(
            (notice) => notice.code === code && names.every((name) => notice.message.includes(name)),
          ),
      )
      .map(({ code, names }) => `there is no ${code} with ${JSON.stringify(names)}`),
  noticesAbsent: (plan: Plan, expected: string[]) =>
    expected.filter((code) => plan.notices.some((notice) => notice.code === code)),
  reasons: (plan: Plan, expected: Record<string, string>) =>
    Object.entries(expected).flatMap(([id, text]) => {
      const reason = plan.victims.find(({ allocation }) => allocation === id)?.reason;
      return reason?.includes(text) ? [] : [`${id}: ${reason} where ${JSON.stringify(text)} is expected`];
    }),
  floorsRespected: (plan: Plan, expected: boolean, { snapshot }: Context) =>
    same(brokenFloors(snapshot, ids(plan)).length === 0, expected),
  permutationInvariant: (plan: Plan, expected: boolean, { snapshot, replan }: Context) => {
    const text = JSON.stringify(plan);
    return same(
      permutations(snapshot).every((other) => JSON.stringify(replan(other)) === text),
      expected,
    );
  },
};

/** No other victim has the field. */
function sameFields(plan: Plan, field: 'unit' | 'overBudget', expected: Record<string, unknown>): string[] {
  const found = plan.victims.flatMap((victim) =>
    victim[field] === undefined ? [] : [[victim.allocation, victim[field]]],
  );
  return same(found.sort(), Object.entries(expected).sort());
}

function same(actual: unknown, expected: unknown): string[] {
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)];
  return is === ought ? [] : [`${is} where ${ought} is expected`];
}

/** Only the types that are listed count, but an empty object means nothing at all. */
function sameAmounts(actual: Resources, expected: Resources): string[] {
  if (Object.keys(expected).length === 0) return same(actual, {});
  return within(actual, expected, (is, ought) => is === ought);
}

function within(
  actual: Resources,
  expected: Resources,
  holds: (is: number, expected: number, type: string) => boolean,
): string[] {
  return Object.entries(expected)
    .filter(([type, amount]) => !holds(actual[type] ?? 0, amount, type))
    .map(([type, amount]) => `${actual[type] ?? 0} ${type} where ${amount} is expected`);
}

function ofQueues(
  plan: Plan,
  expected: ExpectedShare[],
  compare: (share: Plan['shares'][number], expected: ExpectedShare) => string[],
): string[] {
  return expected.flatMap((words) => {
    const share = plan.shares.find(({ queue }) => queue === words.queue);
    if (share === undefined) return [`${words.queue} is not listed`];
    return compare(share, words).map((difference) => `${words.queue}: ${difference}`);
  });
}
