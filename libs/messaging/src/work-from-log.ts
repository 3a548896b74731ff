import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { StoredEvent } from '#event-store';
import { Attempts } from './attempts.js';
import { type BatchWork, triesOfLongWait } from './batch.js';
import type { Consumer } from './consumer.js';
import { markHandled } from './inbox.js';

export interface FromLog {
  database: DataSource;
  consumer: Consumer;
  onParked: (event: StoredEvent, reason: string) => void;
  onError: (error: Error) => void;
  /** Ends the wait between two attempts, with an error. */
  signal: AbortSignal;
}

/** Work on events that a consumer receives from the log, besides those from its bus. One object serves all batches. */
export function workFromLog({ database, consumer, onParked, onError, signal }: FromLog): BatchWork {
  const attempts = new Attempts(database, consumer.name);
  // Events rarely arrive this way, and one that crashes processes would be redelivered to each of them.
  attempts.beCareful(Number.POSITIVE_INFINITY);
  return {
    db: database,
    consumer,
    claim: (tx, events) => markHandled(tx, consumer.name, events),
    movedOn: () => {},
    passedOver: async (events) => {
      await markHandled(database.manager, consumer.name, events);
    },
    onParked,
    onError,
    attempts,
    triesOfWaiting: triesOfLongWait,
    wait: (ms) => delay(ms, undefined, { signal }),
  };
}
