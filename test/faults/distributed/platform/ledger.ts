import { randomUUID } from 'node:crypto';
import type { Workload } from '#clusters';
import type { EventData, SnapshotAllocation, SnapshotApplication } from '#contracts';
import type { Departure, Kill, RemainingAllocation } from '../../audit/history.js';
import { isWithin } from '../../audit/usage.js';

export type Allocation = SnapshotAllocation & { uid: string };
type Request = EventData<'EvictionRequested'>;

/** The running, evicted and ended allocations of a platform in truth, whatever its reports are. */
export class Ledger {
  readonly applications: SnapshotApplication[] = [];
  readonly kills: Kill[] = [];
  readonly departures: Departure[] = [];
  private readonly running = new Map<string, Allocation>();
  /** Ids of those that were asked to go and have not gone yet. */
  private readonly leaving = new Set<string>();

  add({ applications = [], allocations = [] }: Workload): void {
    this.applications.push(...applications);
    for (const one of allocations) this.running.set(one.id, { uid: randomUUID(), ...one });
  }

  /** With those that are leaving, who still hold what they have. */
  allocations(): SnapshotAllocation[] {
    return [...this.running.values()].map((one) =>
      this.leaving.has(one.id) ? { ...one, state: 'releasing' } : one,
    );
  }

  /** Those that stay, in a queue and all below it. */
  staying(queue = 'root'): Allocation[] {
    return [...this.running.values()].filter(
      (one) => !this.leaving.has(one.id) && isWithin(one.queue, queue),
    );
  }

  remaining(): RemainingAllocation[] {
    return this.staying().map(({ id, uid, queue, resources, role = 'task' }) => ({
      id,
      uid,
      queue,
      resources,
      role,
    }));
  }

  /** Evicts, and returns the answer of a platform. `goes` names the allocation to remove. */
  evict({
    allocation,
    uid,
    evictionId,
  }: Request):
    | { answer: 'accepted' | 'gone'; goes?: Allocation }
    | { answer: 'other-incarnation'; uid: string } {
    const one = this.running.get(allocation);
    if (!one) return { answer: 'gone' };
    if (one.uid !== uid) return { answer: 'other-incarnation', uid: one.uid };
    if (this.leaving.has(allocation)) return { answer: 'accepted' };
    this.leaving.add(allocation);
    const { queue, resources } = one;
    this.kills.push({ allocation, uid, queue, resources, evictionId, at: new Date() });
    return { answer: 'accepted', goes: one };
  }

  /** An evicted allocation has gone. */
  release({ id }: Allocation): void {
    this.running.delete(id);
    this.leaving.delete(id);
  }

  /** An allocation ends by itself. @returns a callback for the moment when Curtail could know of it. */
  depart({ id, queue, resources }: Allocation): Departure {
    const departure: Departure = { queue, resources };
    this.running.delete(id);
    this.departures.push(departure);
    return departure;
  }
}
