import type { DataSource } from 'typeorm';
import { sentenceOf } from '#contracts';
import type { RunStep, RunTimeline } from '#contracts/api';
import { catalog, eventName, upcast } from '#contracts/events';
import { type PlaceOfRun, sourceOfRun } from './log-filter.js';

/** More steps than these are left out, the oldest first: a clock is set again with every change of its queue. */
const mostSteps = 300;

interface Row {
  position: string;
  time: Date;
  until: Date;
  type: string;
  version: number;
  count: number;
  data: unknown;
}

/** What a run planned, as the read model has it: the plan itself may be very long. */
export interface PlannedRun extends PlaceOfRun {
  enforcement: string;
  planOutcome: string | null;
  victims: number;
}

/** The events of a run and its clock as steps. Events of victims that follow one another are one step, which counts them. */
export async function timelineOf(db: DataSource, run: PlannedRun): Promise<RunTimeline> {
  const values: unknown[] = [];
  const source = sourceOfRun(run.enforcement, run, (given) => `$${values.push(given)}`);
  const rows = await db.query<Row[]>(
    `SELECT min(position)::text AS position, min(time) AS time, max(time) AS until, type, min(schema_version)::int AS version,
            coalesce(sum(victims), count(*))::int AS count, min(data::text)::json AS data
     FROM (
       SELECT *, CASE WHEN row_number() OVER (PARTITION BY step, application ORDER BY position DESC) = 1 THEN foreseen
                      WHEN foreseen IS NOT NULL THEN 0 END AS victims
       FROM (
         SELECT position, time, type, schema_version,
                CASE WHEN type NOT LIKE 'io.curtail.victim.%' AND type <> '${catalog.PlanComputed.type}' THEN data END AS data,
                type LIKE 'io.curtail.victim.%' AS "isOfVictim",
                count(*) FILTER (WHERE type NOT LIKE 'io.curtail.victim.%') OVER (ORDER BY position) AS step,
                -- Each event of an application states again what is foreseen of it.
                CASE WHEN type = '${catalog.VictimForeseen.type}' THEN (data ->> 'victims')::int END AS foreseen,
                CASE WHEN type = '${catalog.VictimForeseen.type}' THEN data ->> 'application' END AS application
         FROM ${source} event) event) event
     GROUP BY step, "isOfVictim", type ORDER BY min(event.position)`,
    values,
  );
  const steps = stepsOf(rows, run);
  return { steps: steps.slice(-mostSteps), earlier: Math.max(0, steps.length - mostSteps) };
}

function stepsOf(rows: readonly Row[], run: PlannedRun): RunStep[] {
  const steps: RunStep[] = [];
  for (const { position, time, until, type, version, count, data } of rows) {
    const event = eventName(type) ?? type;
    const [at, ended] = [time.toISOString(), until.toISOString()];
    if (!event.startsWith('Victim')) {
      steps.push({
        position,
        at,
        until: ended,
        event,
        sentence: wordsOf(type, version, data, run),
        victims: [],
      });
      continue;
    }
    const last = steps.at(-1);
    if (last?.event === null) {
      last.victims.push({ event, count });
      if (ended > last.until) last.until = ended;
    } else {
      steps.push({ position, at, until: ended, event: null, sentence: null, victims: [{ event, count }] });
    }
  }
  return steps;
}

function wordsOf(type: string, version: number, data: unknown, run: PlannedRun): string {
  const event = eventName(type);
  if (event === undefined) return type;
  if (event !== 'PlanComputed') return sentenceOf(event, upcast(event, version, data));
  const { enforcement, planOutcome: outcome, victims } = run;
  return sentenceOf(event, { enforcement, plan: { outcome, victims: Array.from({ length: victims }) } });
}
