import type { DataSource } from 'typeorm';
import { type EventData } from '#contracts';
import { typesOf } from '#contracts/events';
import { extensionEnd } from '#enforcement';
import { enforcementStream } from '#event-store';

/** A victim whose owner has extended its time. */
export interface ExtendedVictim {
  allocation: string;
  /** RFC 3339: it is not evicted before. */
  until: string;
  /** In the read model: `planned`, `refused` or `notified`. */
  state: string;
}

interface Row {
  enforcement: string;
  allocation: string;
  answers: EventData<'OwnerAnswered'>[];
  opened: EventData<'EnforcementOpened'> | null;
  state: string;
}

/** The unsettled victims of runs whose extensions have not ended, by run. @param at by the clock of the database. */
export async function extendedVictims(
  db: DataSource,
  enforcements: readonly string[],
  at: Date,
): Promise<Map<string, ExtendedVictim[]>> {
  const rows = await db.query<Row[]>(EXTENDED, [enforcements, typesOf('EnforcementOpened')]);
  const byRun = new Map<string, ExtendedVictim[]>();
  for (const { enforcement, allocation, answers, opened, state } of rows) {
    const until = extensionEnd(answers, opened ?? undefined);
    if (until === undefined || Date.parse(until) <= at.getTime()) continue;
    const known = byRun.get(enforcement) ?? [];
    byRun.set(enforcement, [...known, { allocation, until, state }]);
  }
  return byRun;
}

/** $1 runs, $2 types of the event that opens a run. */
const EXTENDED = `
  SELECT a.enforcement, a.allocation, v.state, json_agg(a.data ORDER BY a.answered_at) AS answers, opened.data::jsonb AS opened
  FROM owner_answers a
    JOIN read_victims v ON v.enforcement = a.enforcement AND v.allocation = a.allocation
    LEFT JOIN LATERAL (SELECT data FROM events e WHERE e.stream = '${enforcementStream('')}' || a.enforcement
                         AND e.type = ANY ($2::text[]) ORDER BY version LIMIT 1) AS opened ON true
  WHERE a.enforcement = ANY ($1::text[]) AND v.state IN ('planned', 'refused', 'notified')
    AND (v.uid IS NULL OR a.data ->> 'uid' IS NULL OR v.uid = a.data ->> 'uid')
  GROUP BY a.enforcement, a.allocation, v.state, opened.data::jsonb`;
