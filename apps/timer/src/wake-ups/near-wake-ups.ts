import type { Clock } from '#event-store';

/** How long before a moment its wake-up comes: time to read the timers that are due by then. */
export const aheadMs = 8;

/**
 * Wakes a little before moments that are near: once for each partition and moment, however often it was requested, and at
 * once for moments that have passed. These wake-ups live in this process alone.
 */
export class NearWakeUps {
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly clock: Clock,
    private readonly onWakeUp: (partition: string, dueAt: Date) => void,
  ) {}

  set(partition: string, dueAt: Date): void {
    const key = `${dueAt.getTime()}/${partition}`;
    if (this.pending.has(key)) return;
    const nearWakeUp = setTimeout(
      () => {
        this.pending.delete(key);
        this.onWakeUp(partition, dueAt);
      },
      Math.max(0, dueAt.getTime() - aheadMs - this.clock.now().getTime()),
    );
    this.pending.set(key, nearWakeUp);
  }

  clear(): void {
    for (const nearWakeUp of this.pending.values()) clearTimeout(nearWakeUp);
    this.pending.clear();
  }
}
