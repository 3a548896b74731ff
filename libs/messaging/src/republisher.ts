import type { Outgoing } from '@curtail/event-store';

/**
 * Puts recorded events on Kafka once more, as they went out, with the extension attribute `replayed`: for consumers outside
 * that lost them. Curtail's own leave such messages alone.
 */
export interface Republisher {
  /** @returns when the brokers have all of them. @throws Error that says what is wrong with them. */
  republish(events: readonly Outgoing[]): Promise<void>;
  /** Gives the connection back; the next events open another. */
  close(): Promise<void>;
}

/** Nest token of the port; null is provided where there is no Kafka. */
export const REPUBLISHER = Symbol('Republisher');
