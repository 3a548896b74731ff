import { type Keys, scheduler } from './keys.js';
import type { NamedQueue } from './queue-tree.js';

type QueueProperties = Record<string, unknown>;

const userLimit = 'minimum-user-limit-percent';
const percentOf = (number: number) => number >= 0 && number <= 100;
const factorOf = (number: number) => number >= 0 || number === -1;

/**
 * Properties of each queue for in-queue preemption, `queues[].properties` of a snapshot: only those that are set, except for the order of
 * a leaf, which defaults to YARN's. docs/reference/configuration.md, "Settings of YARN"
 */
export function readQueueProperties(root: NamedQueue, keys: Keys): ReadonlyMap<NamedQueue, QueueProperties> {
  const found = new Map<NamedQueue, QueueProperties>();
  const forAll = limitsAt(scheduler, keys);
  const visit = (queue: NamedQueue, inherited: ReadonlyMap<string, UserWeight>) => {
    const prefix = `${scheduler}${queue.writtenPath}.`;
    const own = userWeights(queue, keys);
    const properties = compact({
      ...(queue.children.length === 0 ? compact(forAll) : {}),
      ...compact(limitsAt(prefix, keys)),
      userWeights:
        own.size > 0 ? Object.fromEntries([...own].map(([user, { weight }]) => [user, weight])) : undefined,
      orderingPolicy: orderingPolicy(queue, keys),
      disablePreemption: keys.truth(`${prefix}disable_preemption`),
      disableIntraQueuePreemption: keys.truth(`${prefix}intra-queue-preemption.disable_preemption`),
    });
    if (Object.keys(properties).length > 0) found.set(queue, properties);
    const weights = new Map([...inherited, ...own]);
    const isLimitKnown = ![prefix, scheduler].some((where) => keys.isUnreadable(`${where}${userLimit}`));
    if (queue.children.length === 0 && isLimitKnown)
      checkWeights(queue, weights, properties.minimumUserLimitPercent, keys);
    for (const child of queue.children) visit(child, weights);
  };
  visit(root, new Map());
  return found;
}

/** @param prefix of a queue, or of the scheduler for all queues. */
function limitsAt(prefix: string, keys: Keys): QueueProperties {
  return {
    minimumUserLimitPercent: keys.numberThat(
      `${prefix}${userLimit}`,
      percentOf,
      'a percentage from 0 to 100',
    ),
    userLimitFactor: keys.numberThat(
      `${prefix}user-limit-factor`,
      factorOf,
      'a factor, at least 0, or -1 for no cap',
    ),
  };
}

/** Parents are ordered by other rules, which have no effect here. */
function orderingPolicy(queue: NamedQueue, keys: Keys): 'fair' | 'fifo' | undefined {
  const written = keys.take(`${scheduler}${queue.writtenPath}.ordering-policy`)?.value;
  if (queue.children.length > 0) return undefined;
  return written === 'fair' ? 'fair' : 'fifo';
}

interface UserWeight {
  weight: number;
  key: string;
}

function userWeights(queue: NamedQueue, keys: Keys): Map<string, UserWeight> {
  const weights = new Map<string, UserWeight>();
  for (const { key, user } of keys.userWeights(queue.writtenPath)) {
    const weight = keys.numberThat(key, (number) => number >= 0, 'a weight, at least 0');
    if (weight !== undefined) weights.set(user, { weight, key });
  }
  return weights;
}

/** As in YARN: there must be room for as many users of that weight as may be active at once. */
function checkWeights(
  { path }: NamedQueue,
  weights: ReadonlyMap<string, UserWeight>,
  percent: unknown,
  keys: Keys,
): void {
  const most = typeof percent === 'number' ? percent : 100;
  for (const { weight, key } of weights.values()) {
    if (weight * most <= 100 + 1e-9) continue;
    const message = `a weight in ${path} is at most 100 / minimum-user-limit-percent (${most}), not ${weight}`;
    keys.problems.error(key, `${message}; lower it, or the percentage`, keys.get(key) ?? {});
  }
}

function compact(properties: QueueProperties): QueueProperties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}
