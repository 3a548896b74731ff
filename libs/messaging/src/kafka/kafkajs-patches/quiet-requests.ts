import { createRequire } from 'node:module';

/** The relevant state of the requests of one connection in kafkajs. */
export interface RequestQueue {
  pending: unknown[];
  inflight: Map<number, { sentAt: number; requestTimeout: number; timeoutRequest(): void }>;
  requestTimeout: number;
  enforceRequestTimeout: boolean;
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
 * only while a request waits. Each connection also checked ten times a second for late answers, with
 * a time limit of ten seconds; with this patch, one timer checks all connections once a second.
 */
export function quietRequests(): void {
  if (isQuiet) return;
  isQuiet = true;
  const { prototype } = requestQueue();
  const { scheduleCheckPendingRequests: schedule, destroy } = prototype;
  prototype.scheduleCheckPendingRequests = function (): void {
    if (this.pending.length > 0) schedule.call(this);
  };
  prototype.scheduleRequestTimeoutCheck = function (): void {
    if (this.enforceRequestTimeout) checkForLate(this);
  };
  prototype.destroy = function (): void {
    leaveUnchecked(this);
    destroy.call(this);
  };
}

/** The connections that are checked at the same interval, with one timer. */
interface Checked {
  queues: Set<RequestQueue>;
  timer: NodeJS.Timeout;
}

/** By interval. */
const checked = new Map<number, Checked>();
const intervalOf = ({ requestTimeout }: RequestQueue) => Math.min(requestTimeout / 10, longestCheckMs);

function checkForLate(queue: RequestQueue): void {
  const everyMs = intervalOf(queue);
  const known = checked.get(everyMs);
  if (known) {
    known.queues.add(queue);
    return;
  }
  const queues = new Set([queue]);
  checked.set(everyMs, { queues, timer: setInterval(() => giveUpLate(queues), everyMs) });
}

function leaveUnchecked(queue: RequestQueue): void {
  const everyMs = intervalOf(queue);
  const known = checked.get(everyMs);
  if (!known?.queues.delete(queue) || known.queues.size > 0) return;
  clearInterval(known.timer);
  checked.delete(everyMs);
}

function giveUpLate(queues: Set<RequestQueue>): void {
  for (const queue of queues) {
    for (const request of queue.inflight.values())
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    if (!queue.isConnected()) queue.destroy();
  }
}
