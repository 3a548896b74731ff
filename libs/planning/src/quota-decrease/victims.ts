import type { Resources, Victim } from '@curtail/contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { EqualUse } from '../snapshot/equal-use.js';
import type { AmountTexts } from '../writing/amount-text.js';
import { setAmount } from '../writing/resources.js';
import type { Reasons } from './reasons.js';
import type { Target } from './target.js';

/** What all victims of one size share. */
interface Use {
  /** Frozen: many victims have the same object. */
  readonly resources: Resources;
  /** What it gives in types of the target, as a phrase. */
  readonly gives: string;
}

/** The victims as the plan lists them, in the order of their rank. */
export function victimsOf(
  snapshot: QueueSnapshot,
  target: Target,
  victims: readonly number[],
  reasons: Reasons,
  texts: AmountTexts,
): Victim[] {
  const { allocations, applications, queues } = snapshot;
  const equalUse = new EqualUse(snapshot, victims.length);
  const uses = new Map<number, Use>();
  return victims.map((victim, i) => {
    const like = equalUse.firstLike(victim);
    let use = uses.get(like);
    if (use === undefined) {
      use = useOf(snapshot, target, victim, texts);
      uses.set(like, use);
    }
    return victimOf(
      allocations.ids[victim]!,
      allocations.uids[victim],
      applications.ids[allocations.application[victim]!]!,
      queues.paths[allocations.queue[victim]!]!,
      allocations.nodes[victim],
      use.resources,
      i + 1,
      reasons.of(victim, use.gives),
    );
  });
}

function useOf(snapshot: QueueSnapshot, target: Target, allocation: number, texts: AmountTexts): Use {
  const { firstEntry, entryType, entryAmount } = snapshot.allocations;
  const resources: { [type: string]: number } = {};
  const given = new Float64Array(target.count);
  for (let e = firstEntry[allocation]!; e < firstEntry[allocation + 1]!; e++) {
    const type = entryType[e]!;
    setAmount(resources, snapshot.types[type]!, entryAmount[e]!);
    if (target.placeOfType[type]! >= 0) given[target.placeOfType[type]!] = entryAmount[e]!;
  }
  return { resources: Object.freeze(resources), gives: texts.list(target.names, given) };
}

/** One literal for each set of keys: objects that grow key by key cost several times as much. */
function victimOf(
  allocation: string,
  uid: string | undefined,
  application: string,
  queue: string,
  node: string | undefined,
  resources: Resources,
  rank: number,
  reason: string,
): Victim {
  if (uid === undefined) {
    if (node === undefined) return { allocation, application, queue, resources, rank, reason };
    return { allocation, application, queue, node, resources, rank, reason };
  }
  if (node === undefined) return { allocation, uid, application, queue, resources, rank, reason };
  return { allocation, uid, application, queue, node, resources, rank, reason };
}
