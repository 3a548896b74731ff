/** Work that leaves is gone without an event: while there is some on the page, it is read again as often as this. */
export const leavingMs = 2000;
/** Usage also changes with work that starts and ends by itself, of which no event tells either. */
export const usageMs = 20_000;

/** Answers with queues or applications, by the first part of their keys. */
const ofUsage = new Set(['queue', 'queues', 'applications', 'allocations', 'status', 'history']);

/** Whether the answer to a query has the usage of queues in it. */
export const hasUsage = ([first]: readonly unknown[]): boolean => ofUsage.has(String(first));

/** Whether an answer, or a page of it, has something in it that is leaving. */
export function hasLeaving(answer: unknown): boolean {
  if (Array.isArray(answer)) return answer.some(hasLeaving);
  if (typeof answer !== 'object' || answer === null) return false;
  const { inFlight, items, pages, state } = answer as Record<string, unknown>;
  if (typeof inFlight === 'object' && inFlight !== null && Object.keys(inFlight).length > 0) return true;
  if (state === 'releasing' || state === 'preempting') return true;
  return hasLeaving(items) || hasLeaving(pages);
}
