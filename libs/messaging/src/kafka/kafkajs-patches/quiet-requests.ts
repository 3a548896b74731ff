import { createRequire } from 'node:module';

/** The relevant state of the requests of one connection in kafkajs. */
export interface RequestQueue {
  pending: unknown[];
  scheduleCheckPendingRequests(): void;
}

const load = createRequire(import.meta.url);

/** kafkajs does not export it. */
export const requestQueue = (): { prototype: RequestQueue } =>
  load('kafkajs/src/network/requestQueue/index.js');

let isQuiet = false;

/**
 * After its first answer every connection of kafkajs 2.2 checks some hundreds of times a second, forever, whether a
 * waiting request may be sent now (tulios/kafkajs#1704): an idle service used 5 % of a core. With this patch it checks
 * only while a request waits.
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
