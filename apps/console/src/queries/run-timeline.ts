import type { DataSource } from 'typeorm';
import { sentenceOf } from '#contracts';
import type { RunStep, RunTimeline } from '#contracts/api';
import { eventName, upcast } from '#contracts/events';
import { type PlaceOfRun, sourceOfRun } from './log-filter.js';
import { type StepRow as Row, stepsOfRun } from './run-statements.js';

/** More steps than these are left out, the oldest first: a clock is set again with every change of its queue. */
const mostSteps = 300;

/** What a run planned, as the read model has it: the plan itself may be very long. */
export interface ListedRun extends PlaceOfRun {
  enforcement: string;
  planOutcome: string | null;
  victims: number;
}

/** The events of a run and its clock as steps. Events of victims that follow one another are one step, which counts them. */
export async function timelineOf(db: DataSource, run: ListedRun): Promise<RunTimeline> {
  const values: unknown[] = [];
  const source = sourceOfRun(run.enforcement, run, (given) => `$${values.push(given)}`);
  const rows = await stepsOfRun(db, source, values);
  const steps = stepsOf(rows, run);
  return { steps: steps.slice(-mostSteps), earlier: Math.max(0, steps.length - mostSteps) };
}

function stepsOf(rows: readonly Row[], run: ListedRun): RunStep[] {
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

function wordsOf(type: string, version: number, data: unknown, run: ListedRun): string {
  const event = eventName(type);
  if (event === undefined) return type;
  if (event !== 'PlanComputed') return sentenceOf(event, upcast(event, version, data));
  const { enforcement, planOutcome: outcome, victims } = run;
  return sentenceOf(event, { enforcement, plan: { outcome, victims: Array.from({ length: victims }) } });
}
