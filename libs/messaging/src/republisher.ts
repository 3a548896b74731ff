import type { Outgoing } from '#event-store';

/**
 * Republishes recorded events to Kafka unchanged, with the extension attribute `replayed`: for external consumers that
 * lost them. Curtail's own consumers ignore such messages.
 */
export interface Republisher {
  /** @returns when the brokers have all of them. @throws Error with the reason. */
  republish(events: readonly Outgoing[]): Promise<void>;
  /** Closes the connection; the next events open a new one. */
  close(): Promise<void>;
}

/** Nest token of the port; null is provided where there is no Kafka. */
export const REPUBLISHER = Symbol('Republisher');
