import type { FairShareStatus, Plan, Ratios } from '#contracts';

/** Values by the name of an application, a queue or an allocation. */
type ByName<T> = Record<string, T>;
/** A number is the dominant share, an object the share of each type. */
type Shares = ByName<number | Record<string, number>>;

/** The expectations of a vector of `fair-share.json`: docs/reference/policies/fair-share.md §20. */
export interface FairShareExpectation {
  error?: { field: string };
  fairShare?: Shares;
  usageShare?: Shares;
  demandShare?: Shares;
  guaranteeShare?: Shares;
  limitsShare?: Shares;
  satisfaction?: ByName<number | 'infinite'>;
  status?: ByName<string>;
  starvation?: ByName<string>;
  belowFairShareSince?: ByName<string | null>;
  effective?: ByName<Record<string, unknown>>;
  groups?: ByName<Partial<NonNullable<FairShareStatus['groups']>>>;
  outcome?: string;
  victims?: string[];
  victimsUnordered?: string[];
  victimsOneOf?: string[][];
  never?: string[];
  neverFrom?: string[];
  cause?: ByName<string>;
  preemptedFor?: ByName<string>;
  gracePeriodMs?: ByName<number>;
}

const SAME = 1e-6;

/** The differences, one sentence each. A word that is not known here agrees with nothing. */
export function differences(plan: Plan, expected: Omit<FairShareExpectation, 'error'>): string[] {
  return Object.entries(expected).flatMap(([word, value]) => {
    const check = (CHECKS as Record<string, (plan: Plan, expected: never) => string[]>)[word];
    if (check === undefined) return [`${word}: this comparison does not know the word`];
    return check(plan, value as never).map((difference) => `${word}: ${difference}`);
  });
}

const ids = (plan: Plan): string[] => plan.victims.map(({ allocation }) => allocation);

const CHECKS = {
  ...forEach(['fairShare', 'usageShare', 'demandShare', 'guaranteeShare', 'limitsShare'], sharesCheck),
  ...forEach(
    ['status', 'starvation', 'belowFairShareSince'],
    (word) => (plan: Plan, expected: ByName<unknown>) =>
      ofStatuses(plan, expected, (status, ought) => same(status[word], ought)),
  ),
  satisfaction: (plan: Plan, expected: ByName<number | 'infinite'>) =>
    ofStatuses(plan, expected, ({ satisfaction }, ought) =>
      typeof ought === 'number' && typeof satisfaction === 'number'
        ? near(satisfaction, ought)
        : same(satisfaction, ought),
    ),
  effective: (plan: Plan, expected: ByName<Record<string, unknown>>) =>
    ofStatuses(plan, expected, ({ effective }, ought) =>
      Object.entries(ought).flatMap(([name, value]) => same(effective[name], value)),
    ),
  groups: (plan: Plan, expected: ByName<Partial<NonNullable<FairShareStatus['groups']>>>) =>
    ofStatuses(plan, expected, ({ groups }, ought) =>
      Object.entries(ought).flatMap(([name, members]) =>
        same(groups?.[name as keyof typeof groups], members),
      ),
    ),
  outcome: (plan: Plan, expected: string) => same(plan.outcome, expected),
  victims: (plan: Plan, expected: string[]) => same(ids(plan), expected),
  victimsUnordered: (plan: Plan, expected: string[]) => same(ids(plan).sort(), [...expected].sort()),
  victimsOneOf: (plan: Plan, expected: string[][]) =>
    expected.some((set) => same(ids(plan).sort(), [...set].sort()).length === 0)
      ? []
      : same(ids(plan), expected),
  never: (plan: Plan, expected: string[]) =>
    ids(plan)
      .filter((id) => expected.includes(id))
      .map((id) => `${id} is a victim`),
  neverFrom: (plan: Plan, expected: string[]) =>
    plan.victims
      .filter(({ application, queue }) =>
        expected.some((name) => name === application || `${queue}.`.startsWith(`${name}.`)),
      )
      .map(({ allocation }) => `${allocation} is a victim`),
  ...forEach(
    ['cause', 'preemptedFor', 'gracePeriodMs'],
    (word) => (plan: Plan, expected: ByName<unknown>) =>
      Object.entries(expected).flatMap(([id, ought]) =>
        same(plan.victims.find(({ allocation }) => allocation === id)?.[word], ought),
      ),
  ),
};

function forEach<W extends string, C>(words: readonly W[], check: (word: W) => C): Record<W, C> {
  return Object.fromEntries(words.map((word) => [word, check(word)])) as Record<W, C>;
}

function sharesCheck(word: 'fairShare' | 'usageShare' | 'demandShare' | 'guaranteeShare' | 'limitsShare') {
  return (plan: Plan, expected: Shares): string[] =>
    ofStatuses(plan, expected, (status, ought) => {
      const shares: Ratios = status[word];
      if (typeof ought === 'number') return near(Math.max(...Object.values(shares)), ought);
      return Object.entries(ought).flatMap(([type, share]) => near(shares[type] ?? Number.NaN, share));
    });
}

function ofStatuses<T>(
  plan: Plan,
  expected: ByName<T>,
  compare: (status: FairShareStatus, expected: T) => string[],
): string[] {
  return Object.entries(expected).flatMap(([name, ought]) => {
    const status = plan.statuses?.find((other) => other.name === name);
    if (status === undefined) return [`${name} has no status`];
    return compare(status, ought).map((difference) => `${name}: ${difference}`);
  });
}

function same(actual: unknown, expected: unknown): string[] {
  const [is, ought] = [JSON.stringify(actual), JSON.stringify(expected)];
  return is === ought ? [] : [`${is} where ${ought} is expected`];
}

function near(actual: number, expected: number): string[] {
  return Math.abs(actual - expected) <= SAME ? [] : [`${actual} where ${expected} is expected`];
}
