import { createRequire } from 'node:module';
import { exportFrom } from './lean-records.js';

/*
 * A consumer of kafkajs 2.2 has a fetcher for each broker, and makes new ones when brokers come or go. If it is stopped at that moment, only the
 * old fetchers end. The new ones ask for nothing, again and again without a pause: the process answers nothing any more, not even a signal.
 * Here a fetcher that is made after the stop ends with its first request.
 */

/** The parts of kafkajs' interface that are used. */
export interface FetchManager {
  start(): Promise<void>;
  stop(): Promise<void>;
}
export interface FetchOptions {
  fetch(nodeId: string): Promise<unknown[]>;
}
export type CreateFetchManager<O extends FetchOptions> = (options: O) => FetchManager;

class StoppedBefore extends Error {}

const load = createRequire(import.meta.url);
const place = 'kafkajs/src/consumer/fetchManager.js';
const ofKafkajs = load(place) as CreateFetchManager<FetchOptions>;

/** For a client that is not loaded yet. */
export function stopNewFetchers(): void {
  exportFrom(place, (options: FetchOptions) => stoppable(ofKafkajs, options));
}

export function stoppable<O extends FetchOptions>(create: CreateFetchManager<O>, options: O): FetchManager {
  let isStopped = false;
  const manager = create({
    ...options,
    fetch: async (nodeId) => {
      if (isStopped) throw new StoppedBefore();
      return options.fetch(nodeId);
    },
  });
  return {
    ...manager,
    start: async () => {
      isStopped = false;
      await manager.start().catch((error: unknown) => {
        if (!(error instanceof StoppedBefore)) throw error;
      });
    },
    stop: async () => {
      isStopped = true;
      await manager.stop();
    },
  };
}
