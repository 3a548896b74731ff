/**
 * Calls at moments that are near: once for each partition and moment, however often it was asked for, never early, and at once
 * for what has passed. They live in this process alone.
 */
export class Alarms {
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(private readonly onDue: (partition: string) => void) {}

  set(partition: string, dueAt: Date): void {
    const key = `${dueAt.getTime()}/${partition}`;
    if (!this.pending.has(key)) this.wait(key, partition, dueAt);
  }

  clear(): void {
    for (const timer of this.pending.values()) clearTimeout(timer);
    this.pending.clear();
  }

  private wait(key: string, partition: string, dueAt: Date): void {
    const ms = dueAt.getTime() - Date.now();
    const timer = setTimeout(
      () => {
        // A timer may ring a millisecond before its time.
        if (Date.now() < dueAt.getTime()) return this.wait(key, partition, dueAt);
        this.pending.delete(key);
        this.onDue(partition);
      },
      Math.max(0, ms),
    );
    this.pending.set(key, timer);
  }
}
