import { createRequire } from 'node:module';

/** The relevant state of the requests of one connection in kafkajs. */
export interface RequestQueue {
  pending: unknown[];
  inflight: Map<number, { sentAt: number; requestTimeout: number; timeoutRequest(): void }>;
  requestTimeout: number;
  enforceRequestTimeout: boolean;
  requestTimeoutIntervalId: NodeJS.Timeout | undefined;
  isConnected(): boolean;
  destroy(): void;
  scheduleCheckPendingRequests(): void;
  scheduleRequestTimeoutCheck(): void;
}

const load = createRequire(import.meta.url);

/** kafkajs does not export it. */
export const requestQueue = (): { prototype: RequestQueue } =>
  load('kafkajs/src/network/requestQueue/index.js');

/** A request that has no answer after its time is given up by a tenth of the time later, or a second. */
const longestCheckMs = 1000;

let isQuiet = false;

/**
 * After its first answer every connection of kafkajs 2.2 checks some hundreds of times a second, forever, whether a
 * waiting request may be sent now (tulios/kafkajs#1704): an idle service used 5 % of a core. With this patch it checks
 * only while a request waits. It also checked ten times a second for late answers, with
 * a time limit of ten seconds.
 */
export function quietRequests(): void {
  if (isQuiet) return;
  isQuiet = true;
  const { prototype } = requestQueue();
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (): void {
    if (this.pending.length > 0) schedule.call(this);
  };
  prototype.scheduleRequestTimeoutCheck = checkTimeoutsSeldom;
}

function checkTimeoutsSeldom(this: RequestQueue): void {
  if (!this.enforceRequestTimeout) return;
  this.destroy();
  this.requestTimeoutIntervalId = setInterval(
    () => {
      for (const request of this.inflight.values())
        if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
      if (!this.isConnected()) this.destroy();
    },
    Math.min(this.requestTimeout / 10, longestCheckMs),
  );
}
