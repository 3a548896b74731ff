import { randomUUID } from 'node:crypto';

export interface Allocation {
  id: string;
  uid: string;
  application: string;
  queue: string;
  node: string;
  resources: Record<string, number>;
  startedAt: string;
}

export interface EvictionRequest {
  partition: string;
  queue: string;
  allocation: string;
  uid: string;
  evictionId: string;
  attempt: number;
  graceSeconds: number;
  deadlineAt: string;
  reason: string;
  /** The quota that is enforced, and what has to remain in use, in base units. */
  quota?: { queue: string; max: Record<string, number> };
  floors?: { queue: string; guaranteed: Record<string, number> }[];
}

export type EvictionAnswer = { evictionId: string; attempt: number } & (
  | { answer: 'accepted'; repeated?: boolean }
  | { answer: 'gone' }
  | { answer: 'other-incarnation'; uid: string }
  | { answer: 'refused'; retryable: boolean; code: string; message: string }
);

/** A minimal scheduler: one queue with eight allocations of 1 GB each. Replace it with yours. */
export class Scheduler {
  readonly queue = 'root.batch';
  readonly node = { id: 'node-1', capacity: { memory: 16_000_000_000, vcore: 16_000 } };
  readonly application = { id: 'nightly', queue: this.queue, user: 'ada', priority: 1 };
  private readonly running = new Map<string, Allocation>();
  private readonly leaving = new Set<string>();

  constructor(private readonly onRelease: (allocation: Allocation) => void) {
    const now = Date.now();
    for (let number = 1; number <= 8; number++) {
      const id = `nightly-${number}`;
      this.running.set(id, {
        id,
        uid: randomUUID(),
        application: this.application.id,
        queue: this.queue,
        node: this.node.id,
        resources: { memory: 1_000_000_000, vcore: 1000 },
        startedAt: new Date(now - number * 60_000).toISOString(),
      });
    }
  }

  /** Whether evictions are in progress. */
  get losing(): boolean {
    return this.leaving.size > 0;
  }

  allocations(): Allocation[] {
    return [...this.running.values()];
  }

  /** A request may arrive twice: the allocation is then leaving already, or gone. */
  evict({
    allocation: id,
    uid,
    evictionId,
    attempt,
    graceSeconds,
    quota,
    floors = [],
  }: EvictionRequest): EvictionAnswer {
    const request = { evictionId, attempt };
    const allocation = this.running.get(id);
    if (!allocation) return { ...request, answer: 'gone' };
    if (allocation.uid !== uid) return { ...request, answer: 'other-incarnation', uid: allocation.uid };
    if (this.leaving.has(uid)) return { ...request, answer: 'accepted', repeated: true };
    const outdated = this.outdated(allocation, quota, floors);
    // Curtail may ask again: it then knows what this scheduler has reported meanwhile.
    if (outdated) {
      return { ...request, answer: 'refused', retryable: true, code: 'outdated', message: outdated };
    }
    this.leaving.add(uid);
    // The owner is notified, and finishes before the grace period ends.
    setTimeout(() => this.release(allocation), Math.min(graceSeconds * 1000, 200));
    return { ...request, answer: 'accepted' };
  }

  /** Why the eviction is not right any more by what runs here now, which Curtail may not know yet; undefined: it is. */
  private outdated(
    { resources }: Allocation,
    quota: EvictionRequest['quota'],
    floors: NonNullable<EvictionRequest['floors']>,
  ): string | undefined {
    const staying = this.allocations().filter((allocation) => !this.leaving.has(allocation.uid));
    const used = (queue: string, type: string) =>
      staying
        .filter((allocation) => `${allocation.queue}.`.startsWith(`${queue}.`))
        .reduce((sum, allocation) => sum + (allocation.resources[type] ?? 0), 0);
    if (quota && Object.entries(quota.max).every(([type, max]) => used(quota.queue, type) <= max)) {
      return `${quota.queue} is within its quota.`;
    }
    for (const { queue, guaranteed } of floors) {
      for (const [type, amount] of Object.entries(guaranteed)) {
        const taken = resources[type] ?? 0;
        if (taken > 0 && used(queue, type) - taken < amount) {
          return `${queue} would fall below its guaranteed ${amount} of ${type}.`;
        }
      }
    }
    return undefined;
  }

  private release(allocation: Allocation): void {
    this.running.delete(allocation.id);
    this.onRelease(allocation);
    this.leaving.delete(allocation.uid);
  }
}
