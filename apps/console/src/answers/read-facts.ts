import type { DataSource } from 'typeorm';
import { chainFromRoot, type EventData, type SnapshotAllocation } from '#contracts';
import { typesOf } from '#contracts/events';
import type { AnsweredRun, AnswerFacts } from '#enforcement';
import { enforcementStream, type Tx } from '#event-store';

/** The run that an answer is for. */
export interface AnsweredTo {
  run?: AnsweredRun | undefined;
  clock?: AnswerFacts['clock'];
}

const ordered = new Set(typesOf('VictimOrdered'));
const settled = new Set(
  (['VictimEvicted', 'VictimGone', 'VictimSpared', 'VictimFailed'] as const).flatMap((name) => typesOf(name)),
);
const notified = new Set(typesOf('VictimNotified'));

/** The open run that is to evict an allocation, else the run that is due next in its queue or above and has no plan yet. */
export async function answeredTo(
  db: Tx | DataSource,
  partition: string,
  { id, uid, queue }: Pick<SnapshotAllocation, 'id' | 'uid' | 'queue'>,
): Promise<AnsweredTo> {
  const runs = await db.query<{ enforcement: string }[]>(RUNS, [partition, id, uid ?? null]);
  for (const { enforcement } of runs) {
    const run = await runOf(db, enforcement, id);
    if (run) return { run };
  }
  const [clock] = await db.query<NonNullable<AnswerFacts['clock']>[]>(NEXT_CLOCK, [
    partition,
    chainFromRoot(queue),
  ]);
  return { clock };
}

/** @returns undefined if the victim has its outcome. */
async function runOf(
  db: Tx | DataSource,
  enforcement: string,
  allocation: string,
): Promise<AnsweredRun | undefined> {
  const stream = enforcementStream(enforcement);
  const [opened] = await db.query<{ data: EventData<'EnforcementOpened'> }[]>(
    'SELECT data FROM events WHERE stream = $1 AND type = ANY ($2::text[]) ORDER BY version LIMIT 1',
    [stream, typesOf('EnforcementOpened')],
  );
  const [last] = await db.query<{ type: string; data: Partial<EventData<'VictimNotified'>> }[]>(
    "SELECT type, data FROM events WHERE stream = $1 AND data ->> 'allocation' = $2 ORDER BY version DESC LIMIT 1",
    [stream, allocation],
  );
  if (last && settled.has(last.type)) return undefined;
  const isAsked = last !== undefined && notified.has(last.type);
  // A round that only notifies has settled it.
  if (isAsked && last.data.interrupts !== true) return undefined;
  return {
    enforcement,
    opened: opened?.data,
    isOrdered: last !== undefined && ordered.has(last.type),
    killAt: isAsked ? last.data.killAt : undefined,
  };
}

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
