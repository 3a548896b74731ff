import type { ClusterSnapshot } from '#contracts';
import { compare, divided, type Fraction, fraction, least, sum, times, ZERO } from './fraction.js';
import type { NaiveElement } from './naive-fair-shares.js';

export const TYPES = ['memory', 'vcore'] as const;
type Type = (typeof TYPES)[number];

const amountOf = (amounts: unknown, type: Type): number =>
  (amounts as Record<string, number> | undefined)?.[type] ?? 0;

/** The tree of a generated cluster with its exact shares: docs/reference/policies/fair-share.md §5, from the text alone. */
export function naiveTree(snapshot: ClusterSnapshot, settings: Record<string, unknown>): NaiveElement {
  const nodes = snapshot.nodes ?? [];
  const totals = TYPES.map((type) => nodes.reduce((all, { capacity }) => all + amountOf(capacity, type), 0));
  const share = (amount: number | bigint, type: number): Fraction =>
    totals[type] === 0 ? ZERO : fraction(BigInt(amount), BigInt(totals[type]!));
  const main = (settings.mainResource ?? 'vcore') as string;
  const listed = [{ path: 'root' }, ...snapshot.queues] as {
    path: string;
    max?: object;
    guaranteed?: object;
    properties?: Record<string, unknown>;
  }[];
  const childrenOf = (path: string) =>
    listed.filter(
      (queue) => queue.path.slice(0, queue.path.lastIndexOf('.')) === path && queue.path !== 'root',
    );

  // Guaranteed amounts.
  const guaranteed = new Map<string, bigint[]>([['root', totals.map(BigInt)]]);
  const given = (queue: { guaranteed?: object }, type: string): bigint | undefined => {
    const amount = (queue.guaranteed as Record<string, number> | undefined)?.[type];
    return amount === undefined ? undefined : BigInt(amount);
  };
  const infer = (path: string): void => {
    const ofPool = guaranteed.get(path)!;
    const mainOfPool = TYPES.includes(main as Type) ? ofPool[TYPES.indexOf(main as Type)]! : 0n;
    const children = childrenOf(path);
    for (const child of children) guaranteed.set(child.path, []);
    TYPES.forEach((type, i) => {
      const left = ofPool[i]! - children.reduce((all, child) => all + (given(child, type) ?? 0n), 0n);
      const inferred = children.map((child) => {
        if (given(child, type) !== undefined || type === main || mainOfPool === 0n) return ZERO;
        return divided(times(fraction(given(child, main) ?? 0n), fraction(ofPool[i]!)), fraction(mainOfPool));
      });
      const all = sum(inferred);
      const most = fraction(left < 0n ? 0n : left);
      const factor = path !== 'root' && compare(all, most) > 0 ? divided(most, all) : fraction(1);
      children.forEach((child, c) => {
        const part = times(inferred[c]!, factor);
        guaranteed.get(child.path)![i] = given(child, type) ?? part.over / part.under;
      });
    });
    for (const child of children) infer(child.path);
  };
  infer('root');

  const operationsOf = (path: string) => snapshot.applications.filter(({ queue }) => queue === path);
  const limitsOf = (limit: object | undefined): Fraction[] =>
    TYPES.map((type, i) => {
      const amount = (limit as Record<string, number> | undefined)?.[type];
      if (totals[i] === 0) return ZERO;
      return amount === undefined ? fraction(1) : least(fraction(1), share(amount, i));
    });
  const operation = (application: (typeof snapshot.applications)[number]): NaiveElement => {
    const properties = application.properties ?? {};
    const running = snapshot.allocations.filter(
      ({ application: owner, state }) => owner === application.id && state === 'running',
    );
    const used = TYPES.map((type) =>
      running.reduce((all, { resources }) => all + amountOf(resources, type), 0),
    );
    const wanted = TYPES.map((type, i) =>
      (properties.suspended ? [] : (application.pending ?? [])).reduce(
        (all, { resources, count }) => all + amountOf(resources, type) * count,
        used[i]!,
      ),
    );
    const filter = Object.entries((properties.schedulingTagFilter ?? {}) as Record<string, string>);
    const reachable = TYPES.map((type, i) =>
      share(
        nodes
          .filter(({ labels }) => filter.every(([name, value]) => labels?.[name] === value))
          .reduce((all, { capacity }) => all + amountOf(capacity, type), 0),
        i,
      ),
    );
    return {
      name: application.id,
      weight: fraction((properties.weight ?? 1) as number),
      usage: used.map(share),
      demand: wanted.map(share),
      limits: limitsOf(properties.resourceLimits as object).map((limit, i) => least(limit, reachable[i]!)),
      guarantee: TYPES.map(() => ZERO),
      steps: properties.isGang === true && settings.enableStepFunctionForGangOperations === true,
    };
  };
  const fifoOrder = (a: { weight?: number; at: string; id: string }, b: typeof a): number =>
    (b.weight ?? 1) - (a.weight ?? 1) || (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1);

  /** `own` is what the pool above leaves it of its guarantee. */
  const pool = (queue: (typeof listed)[number], own: Fraction[]): NaiveElement => {
    const children = childrenOf(queue.path);
    const limits = limitsOf(queue.max);
    const shares = children.map((child) => guaranteed.get(child.path)!.map((amount, i) => share(amount, i)));
    const sums = TYPES.map((_, i) => sum(shares.map((ofChild) => ofChild[i]!)));
    const guarantee = (queue.path === 'root' ? sums : own).map((part, i) => least(part, limits[i]!));
    const factors = sums.flatMap((all, i) =>
      compare(all, guarantee[i]!) > 0 ? [divided(guarantee[i]!, all)] : [],
    );
    const factor = least(fraction(1), ...factors);
    const fifo = queue.properties?.mode === 'fifo';
    const operations = operationsOf(queue.path)
      .map((application) => ({
        element: operation(application),
        weight: application.properties?.weight as number | undefined,
        at: application.submittedAt!,
        id: application.id,
      }))
      .sort(fifoOrder)
      .map(({ element }) => element);
    const below = [
      ...children.map((child, c) =>
        pool(
          child,
          shares[c]!.map((part) => times(part, factor)),
        ),
      ),
      ...operations,
    ];
    return {
      name: queue.path,
      weight: fraction((queue.properties?.weight ?? 1) as number),
      usage: TYPES.map((_, i) => sum(below.map(({ usage }) => usage[i]!))),
      demand: TYPES.map((_, i) => sum(below.map(({ demand }) => demand[i]!))),
      limits,
      guarantee,
      fifo,
      children: below,
    };
  };
  return pool(listed[0]!, []);
}
