import type { DataSource } from 'typeorm';
import type { EventData } from '#contracts';
import type { AnswerFacts } from '#enforcement';
import { runStream, type Tx } from '#event-store';

interface Row {
  enforcement: string;
  allocation: string;
  answers: EventData<'OwnerAnswered'>[];
  opened: EventData<'EnforcementOpened'> | null;
  state: string;
}

/** $1 runs, $2 types of the event that opens a run. */
const EXTENDED = `
  SELECT a.enforcement, a.allocation, v.state, json_agg(a.data ORDER BY a.answered_at) AS answers, opened.data::jsonb AS opened
  FROM owner_answers a
    JOIN read_victims v ON v.enforcement = a.enforcement AND v.allocation = a.allocation
    LEFT JOIN LATERAL (SELECT data FROM events e WHERE e.stream = '${runStream('')}' || a.enforcement
                         AND e.type = ANY ($2::text[]) ORDER BY version LIMIT 1) AS opened ON true
  WHERE a.enforcement = ANY ($1::text[]) AND v.state IN ('planned', 'refused', 'notified')
    AND (v.uid IS NULL OR a.data ->> 'uid' IS NULL OR v.uid = a.data ->> 'uid')
  GROUP BY a.enforcement, a.allocation, v.state, opened.data::jsonb`;

/** The unsettled victims of runs for which owners have answered. */
export const extendedRows = (
  db: Tx | DataSource,
  enforcements: readonly string[],
  openedTypes: readonly string[],
) => db.query<Row[]>(EXTENDED, [enforcements, openedTypes]);

/** $1 partition, $2 allocation, $3 uid of the incarnation that runs. */
const RUNS = `
  SELECT e.enforcement FROM runs e JOIN planned_victims v USING (enforcement)
  WHERE e.partition = $1 AND v.allocation = $2 AND (v.uid IS NULL OR $3::text IS NULL OR v.uid = $3)
  ORDER BY e.enforcement`;

/** $1 partition, $2 queues. A run that has started is without a plan until it is among the open ones. */
const NEXT_CLOCK = `
  SELECT enforcement, due_at AS "dueAt" FROM (
    SELECT coalesce(state #>> '{pending,enforcement}', running_enforcement) AS enforcement, state #>> '{pending,dueAt}' AS due_at
    FROM clocks WHERE partition = $1 AND queue = ANY ($2::text[])) AS clocks
  WHERE enforcement IS NOT NULL AND NOT EXISTS (SELECT FROM runs e WHERE e.enforcement = clocks.enforcement)
  ORDER BY due_at NULLS FIRST LIMIT 1`;

/** The open runs that plan to evict an allocation. */
export const runsWithVictim = (
  db: Tx | DataSource,
  partition: string,
  allocation: string,
  uid: string | null,
) => db.query<{ enforcement: string }[]>(RUNS, [partition, allocation, uid]);

/** The run that is due next in some queues and has no plan yet. */
export const nextClock = (db: Tx | DataSource, partition: string, queues: readonly string[]) =>
  db.query<NonNullable<AnswerFacts['clock']>[]>(NEXT_CLOCK, [partition, queues]);

/** The event that opened a run. */
export const openingOf = (db: Tx | DataSource, stream: string, types: readonly string[]) =>
  db.query<{ data: EventData<'EnforcementOpened'> }[]>(
    'SELECT data FROM events WHERE stream = $1 AND type = ANY ($2::text[]) ORDER BY version LIMIT 1',
    [stream, types],
  );

/** The last event of a run about an allocation. */
export const lastEventAbout = (db: Tx | DataSource, stream: string, allocation: string) =>
  db.query<{ type: string; data: Partial<EventData<'VictimNotified'>> }[]>(
    "SELECT type, data FROM events WHERE stream = $1 AND data ->> 'allocation' = $2 ORDER BY version DESC LIMIT 1",
    [stream, allocation],
  );
