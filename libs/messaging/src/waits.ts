import type { NewerEvent } from '#event-store';
import type { WaitingConsumer } from './event-bus.js';

/** The places at which a consumer of this process waits for a process that knows a newer event. */
export class Waits {
  private readonly places = new Map<string, NewerEvent>();

  /** @param onWait called when a wait begins; not again each time it is checked. */
  constructor(
    private readonly consumer: string,
    private readonly onWait?: (waiting: WaitingConsumer) => void,
  ) {}

  begin(where: string, error: NewerEvent): void {
    const isNew = this.places.get(where)?.id !== error.id;
    this.places.set(where, error);
    if (isNew) this.onWait?.(this.waiting(where, error));
  }

  over(where: string): void {
    this.places.delete(where);
  }

  /** The places may belong to another process by now. */
  clear(): void {
    this.places.clear();
  }

  all(): WaitingConsumer[] {
    return [...this.places].map(([where, error]) => this.waiting(where, error));
  }

  private waiting(where: string, { type, schemaVersion, message }: NewerEvent): WaitingConsumer {
    return { consumer: this.consumer, where, type, schemaVersion, reason: message };
  }
}
