import type { Clock } from '@curtail/event-store';

/** So long before a moment an alarm goes off: time to read what will be due by then. */
export const aheadMs = 8;

/**
 * Goes off a little before moments that are near: once for each partition and moment, however often it was asked for, and at
 * once for what has passed. Alarms live in this process alone.
 */
export class Alarms {
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly clock: Clock,
    private readonly onAlarm: (partition: string, dueAt: Date) => void,
  ) {}

  set(partition: string, dueAt: Date): void {
    const key = `${dueAt.getTime()}/${partition}`;
    if (this.pending.has(key)) return;
    const alarm = setTimeout(
      () => {
        this.pending.delete(key);
        this.onAlarm(partition, dueAt);
      },
      Math.max(0, dueAt.getTime() - aheadMs - this.clock.now().getTime()),
    );
    this.pending.set(key, alarm);
  }

  clear(): void {
    for (const alarm of this.pending.values()) clearTimeout(alarm);
    this.pending.clear();
  }
}
