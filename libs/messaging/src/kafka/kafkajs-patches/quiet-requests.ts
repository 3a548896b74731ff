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
 * a time limit of ten seconds; with this patch, one timer checks all connections when a request can be late.
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

/** The connections with the same time limit: one timer checks them all. */
interface Checked {
  queues: Set<RequestQueue>;
  timer: NodeJS.Timeout;
}

/** By time limit. */
const checked = new Map<number, Checked>();

function checkForLate(queue: RequestQueue): void {
  const { requestTimeout } = queue;
  const known = checked.get(requestTimeout);
  if (known) known.queues.add(queue);
  else
    checked.set(requestTimeout, { queues: new Set([queue]), timer: checkIn(requestTimeout, requestTimeout) });
}

/**
 * A request under way keeps the process alive by its connection; one that was lost meanwhile must not.
 *
 * @param requestTimeout no request has less time than that, so one that is sent meanwhile is not late before the check.
 */
function checkIn(requestTimeout: number, ms: number): NodeJS.Timeout {
  return setTimeout(() => {
    const known = checked.get(requestTimeout);
    if (!known) return;
    giveUpLate(known.queues);
    // The last one may have ended.
    if (checked.get(requestTimeout) !== known) return;
    const soonest = Math.min(requestTimeout / 10, longestCheckMs);
    known.timer = checkIn(requestTimeout, Math.max(soonest, Math.min(requestTimeout, restMs(known.queues))));
  }, ms).unref();
}

function leaveUnchecked(queue: RequestQueue): void {
  const known = checked.get(queue.requestTimeout);
  if (!known?.queues.delete(queue) || known.queues.size > 0) return;
  clearTimeout(known.timer);
  checked.delete(queue.requestTimeout);
}

function giveUpLate(queues: Set<RequestQueue>): void {
  for (const queue of queues) {
    for (const request of queue.inflight.values())
      if (Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    if (!queue.isConnected()) queue.destroy();
  }
}

/** The time until the first of the requests under way is late. */
function restMs(queues: Set<RequestQueue>): number {
  const rests = [...queues].flatMap(({ inflight }) =>
    [...inflight.values()].map(({ sentAt, requestTimeout }) => requestTimeout + 1 - (Date.now() - sentAt)),
  );
  return Math.min(...rests);
}
