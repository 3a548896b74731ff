import type { QueueInForce } from '#clusters/planning-view';
import { quantityText } from '#configuration';
import { InputError, meantQueue, parseQuantity, type Resources } from '#contracts';

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
export function withQuotas(
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
