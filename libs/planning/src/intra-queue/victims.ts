import type { Resources, Victim } from '@curtail/contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { EqualUse } from '../snapshot/equal-use.js';
import { setAmount } from '../writing/resources.js';

/** Victims as a plan lists them. Many hold the same, and share one frozen object of amounts. */
export class VictimWriter {
  private readonly uses = new Map<number, Resources>();
  private readonly equalUse: EqualUse;

  /** @param most how many victims are written at most. */
  constructor(
    private readonly snapshot: QueueSnapshot,
    most: number,
  ) {
    this.equalUse = new EqualUse(snapshot, most);
  }

  victim(number: number, rank: number, reason: string): Victim {
    const { allocations, applications, queues } = this.snapshot;
    const uid = allocations.uids[number];
    const node = allocations.nodes[number];
    return {
      allocation: allocations.ids[number]!,
      ...(uid === undefined ? {} : { uid }),
      application: applications.ids[allocations.application[number]!]!,
      queue: queues.paths[allocations.queue[number]!]!,
      ...(node === undefined ? {} : { node }),
      resources: this.resources(number),
      rank,
      reason,
    };
  }

  private resources(number: number): Resources {
    const like = this.equalUse.firstLike(number);
    let resources = this.uses.get(like);
    if (resources === undefined) {
      const { firstEntry, entryType, entryAmount } = this.snapshot.allocations;
      const written: { [type: string]: number } = {};
      for (let e = firstEntry[number]!; e < firstEntry[number + 1]!; e++) {
        setAmount(written, this.snapshot.types[entryType[e]!]!, entryAmount[e]!);
      }
      resources = Object.freeze(written);
      this.uses.set(like, resources);
    }
    return resources;
  }
}
