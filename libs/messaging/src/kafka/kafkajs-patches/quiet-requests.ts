import { createRequire } from 'node:module';

/** The state of the requests of one connection in kafkajs, as far as it matters here. */
export interface RequestQueue {
  pending: unknown[];
  scheduleCheckPendingRequests(): void;
}

const load = createRequire(import.meta.url);

/** kafkajs has no name for it that is meant for others. */
export const requestQueue = (): { prototype: RequestQueue } =>
  load('kafkajs/src/network/requestQueue/index.js');

let isQuiet = false;

/**
 * After its first answer every connection of kafkajs 2.2 checks some hundreds of times a second, forever, whether a request waits
 * that may be sent now (tulios/kafkajs#1704): an idle service took 5 % of a core with it. From now on it checks while one waits.
 */
export function quietRequests(): void {
  if (isQuiet) return;
  isQuiet = true;
  const { prototype } = requestQueue();
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (): void {
    if (this.pending.length > 0) schedule.call(this);
  };
}
