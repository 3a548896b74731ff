import { setTimeout as delay } from 'node:timers/promises';
import type { StoredEvent } from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import { Attempts } from './attempts.js';
import { type BatchWork, triesOfLongWait } from './batch.js';
import type { Consumer } from './consumer.js';
import { markHandled } from './inbox.js';

export interface FromLog {
  database: DataSource;
  consumer: Consumer;
  onParked: (event: StoredEvent, reason: string) => void;
  onError: (error: Error) => void;
  /** Ends the waiting between two tries, by an error. */
  signal: AbortSignal;
}

/** Work on events that are handed to a consumer from the log, beside the bus that brings it the others. One object serves all batches. */
export function workFromLog({ database, consumer, onParked, onError, signal }: FromLog): BatchWork {
  const attempts = new Attempts(database, consumer.name);
  // Events come this way seldom, and one that ends processes would be redelivered to each of them.
  attempts.beCareful(Number.POSITIVE_INFINITY);
  return {
    db: database,
    consumer,
    moveOn: async () => {},
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
