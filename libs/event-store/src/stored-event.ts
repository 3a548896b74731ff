import type { DomainEvent, EventName } from '#contracts';
import type { EventTrace } from './trace-context.js';

/** An event to append: its data, its time, and its subject. */
export interface NewEvent {
  event: DomainEvent;
  /**
   * The moment it happened, by the clock of the database. Absent: it happens by being written, and the database fills
   * in its time. The clock of a process is not suitable for either.
   */
  at?: Date;
  /** Queue path, or the partition if it concerns no queue: the order of events of a key is kept in transit. */
  key: string;
  /** The trace of the event that it follows from; absent: the one that the transaction has for its key (`traceOn`). */
  cause?: EventTrace | undefined;
}

/** A place in the log: commit order, which is not the order of the positions alone. */
export interface Cursor {
  /** Decimal text of an xid8, in the ids of the log (`continueLog`). */
  transactionId: string;
  position: string;
}

export const beginning: Cursor = { transactionId: '0', position: '0' };

/** A row of the log, not yet checked: `type` may be one that this build does not know. */
export interface StoredEvent extends Cursor {
  stream: string;
  version: number;
  id: string;
  type: string;
  topic: string;
  partition: string;
  key: string;
  time: Date;
  data: unknown;
  /** The schema version of the data, from 1 (`schemaVersion` of the contracts); absent: 1. */
  schemaVersion?: number;
  /** The W3C trace it belongs to; without one it begins a trace (trace-context.ts). */
  traceparent?: string | null;
  tracestate?: string | null;
  /** The CloudEvents source of events that were not sent by Curtail. */
  source?: string;
  /** The sender of such an event, where it is bound to one. */
  sender?: string;
}

/** A row of the log whose type is known and whose data match the schema of that type. */
export type KnownEvent<N extends EventName = EventName> = {
  [K in N]: Omit<StoredEvent, 'data'> & Extract<DomainEvent, { name: K }>;
}[N];
