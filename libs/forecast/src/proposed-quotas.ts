import type { QueueInForce } from '#clusters/planning-view';
import { quantityText, unknownTypeText } from '#configuration';
import { InputError, meantQueue, nearestOf, ofQueue, parseQuantity, type Resources } from '#contracts';
import type { ConfigurationWarning } from '#contracts/api';

/** Limits of one queue to try: those that it does not name stay as they are. */
export interface ProposedQuota {
  queue: string;
  /** Quantities by resource type, in the notation of configurations: `120G`. */
  max: Readonly<Record<string, string | number>>;
}

/**
 * The queues in force with other limits.
 *
 * @param at the field of the first quota, for errors.
 * @throws InputError for an unknown queue, a queue that is named twice, a wrong quantity, or a limit below the guaranteed amount.
 */
export function withProposedQuotas(
  inForce: readonly QueueInForce[],
  quotas: readonly ProposedQuota[],
  at: string,
): QueueInForce[] {
  const queues = new Map(inForce.map((queue) => [queue.path, queue]));
  const seen = new Set<string>();
  for (const [index, { queue: path, max }] of quotas.entries()) {
    const field = `${at}[${index}]`;
    const queue = queues.get(path);
    if (!queue) {
      const meant = meantQueue(path, [...queues.keys()]);
      const right = meant === undefined ? ': list them with curtail get queues' : `; did you mean ${meant}?`;
      throw new InputError(`${field}.queue`, `no queue ${path} is in the configuration${right}`);
    }
    if (seen.has(path))
      throw new InputError(`${field}.queue`, `the queue ${path} occurs twice; name it once`);
    seen.add(path);
    queues.set(path, withMax(queue, amountsOf(max, `${field}.max`), `${field}.max`));
  }
  return [...queues.values()];
}

function amountsOf(max: ProposedQuota['max'], at: string): Resources {
  return Object.fromEntries(
    Object.entries(max).map(([type, quantity]) => {
      const amount = parseQuantity(quantity, type, `${at}.${type}`);
      if (amount > BigInt(Number.MAX_SAFE_INTEGER)) {
        throw new InputError(`${at}.${type}`, `${quantity} is above 9007199254740991 base units`);
      }
      return [type, Number(amount)];
    }),
  );
}

function withMax(queue: QueueInForce, max: Resources, at: string): QueueInForce {
  for (const [type, amount] of Object.entries(max)) {
    const guaranteed = queue.guaranteed?.[type];
    if (guaranteed !== undefined && amount < guaranteed) {
      throw new InputError(
        `${at}.${type}`,
        `${textOf(type, amount)} is below the guaranteed amount of ${queue.path}, ${textOf(type, guaranteed)}`,
      );
    }
  }
  const { max: _share, ...otherShares } = queue.clusterShare ?? {};
  const clusterShare = Object.keys(otherShares).length > 0 ? otherShares : null;
  return { ...queue, max: { ...queue.max, ...max }, clusterShare };
}

const textOf = (type: string, amount: number) => quantityText(type, BigInt(amount));

/**
 * The warnings about types that nothing in the cluster has, as a configuration with these limits would get them.
 *
 * @param types those of allocations, pending requests and nodes; empty: they are not known.
 * @param at the field of the first quota.
 * @throws InputError for a type that no queue names either: a misspelt limit has no victims, which would pass for harmless.
 */
export function typeWarnings(
  inForce: readonly QueueInForce[],
  quotas: readonly ProposedQuota[],
  types: ReadonlySet<string>,
  at: string,
): ConfigurationWarning[] {
  const known = types.size > 0 ? types : undefined;
  const named = new Set(
    inForce.flatMap(({ max, guaranteed }) => [...Object.keys(max ?? {}), ...Object.keys(guaranteed ?? {})]),
  );
  return quotas.flatMap(({ queue, max }, index) =>
    Object.keys(max).flatMap((type): ConfigurationWarning[] => {
      const message = unknownTypeText(type, known);
      if (message === undefined) return [];
      const path = `${at}[${index}].max.${type}`;
      if (known && !named.has(type)) throw new InputError(path, misspelt(type, [...known, ...named]));
      return [{ code: 'unknown-resource-type', path, message, about: ofQueue(queue) }];
    }),
  );
}

function misspelt(type: string, known: readonly string[]): string {
  const nothing = `no allocation, node or quota of the partition has the type ${type}`;
  const meant =
    type === 'cpu' ? 'vcore' : (nearestOf(type, known) ?? known.find((name) => name.startsWith(type)));
  return meant === undefined
    ? `${nothing}: write one of ${[...new Set(known)].sort().slice(0, 10).join(', ')}`
    : `${nothing}; did you mean ${meant}?`;
}

/**
 * The queues with a delay for those that have a max and no delay, for a question such as "what if its quota were enforced?".
 *
 * @param isMeant the queues that may get it; default all.
 */
export function withAssumedDelay(
  queues: readonly QueueInForce[],
  delayMs: number,
  isMeant: (path: string) => boolean = () => true,
): QueueInForce[] {
  return queues.map((queue) => {
    const isLimited =
      Object.keys(queue.max ?? {}).length > 0 || (queue.clusterShare?.max ?? undefined) !== undefined;
    return isLimited && queue.delayMs === 0 && isMeant(queue.path) ? { ...queue, delayMs } : queue;
  });
}
