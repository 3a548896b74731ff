import { catalog } from '#contracts/events';
import { operatorStream, scheduleStream, type Tx } from '#event-store';
import type { ClockEvent } from './clock-event.js';

/** $1 ids of requests, $2 their times, $3 the streams of their clocks, $4 the prefix of the streams of operators, $5 ends of clocks and runs, $6 decisions. */
const OVERTAKEN = `
  SELECT asked.id FROM unnest($1::text[], $2::timestamptz[], $3::text[]) AS asked (id, at, stream)
  WHERE EXISTS (
    SELECT FROM events ended JOIN events decided ON decided.stream = $4 || (ended.data ->> 'enforcement')
    WHERE ended.stream = asked.stream AND ended.type = ANY ($5) AND decided.type = ANY ($6) AND decided.time > asked.at)`;

/**
 * Requests of runs that arrive late, after an operator has cancelled or rejected a run of the same queue: the later decision counts. They
 * are dead letters that were handled again, by themselves or on request.
 *
 * @returns their ids.
 */
export async function overtakenRequests(tx: Tx, events: readonly ClockEvent[]): Promise<ReadonlySet<string>> {
  const requests = events.filter((event) => event.name === 'EnforcementRequested');
  if (requests.length === 0) return new Set();
  const rows = await tx.query<{ id: string }[]>(OVERTAKEN, [
    requests.map(({ id }) => id),
    requests.map(({ time }) => time.toISOString()),
    requests.map(({ data }) => scheduleStream(data.partition, data.queue)),
    operatorStream(''),
    [catalog.EnforcementCancelled.type, catalog.EnforcementReleased.type],
    [catalog.CancelRequested.type, catalog.PlanRejected.type],
  ]);
  return new Set(rows.map(({ id }) => id));
}
