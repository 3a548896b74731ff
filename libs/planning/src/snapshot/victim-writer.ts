import type { Resources, Victim } from '#contracts';
import { setAmount } from '../writing/texts.js';
import type { QueueSnapshot } from './by-queue.js';

/** Victims as a plan lists them. Those of one size share one frozen object of amounts. */
export class VictimWriter {
  private readonly amounts: (Resources | undefined)[];

  constructor(private readonly snapshot: QueueSnapshot) {
    this.amounts = new Array<Resources | undefined>(snapshot.allocations.sizeCount);
  }

  victim(allocation: number, rank: number, reason: string): Victim {
    const { allocations, applications, queues } = this.snapshot;
    const { texts } = allocations;
    const place = allocations.inputPlace[allocation]!;
    const size = allocations.size[allocation]!;
    this.amounts[size] ??= amountsOf(this.snapshot, size);
    return victimOf(
      allocations.ids[allocation]!,
      texts.uids[place],
      applications.ids[allocations.application[allocation]!]!,
      queues.paths[allocations.queue[allocation]!]!,
      texts.nodes[place],
      this.amounts[size],
      rank,
      reason,
    );
  }
}

function amountsOf({ types, allocations }: QueueSnapshot, size: number): Resources {
  const { firstEntry, entryType, entryAmount } = allocations;
  const amounts: { [type: string]: number } = {};
  for (let e = firstEntry[size]!; e < firstEntry[size + 1]!; e++) {
    setAmount(amounts, types[entryType[e]!]!, entryAmount[e]!);
  }
  return Object.freeze(amounts);
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
