import { createHash } from 'node:crypto';
import { keptJsonOf } from './json-text.js';

/* The names of streams that are read by others than their one writer. */

/** The configurations of a partition; written by config-ingest. */
export const configStream = (partition: string) => `config-${partition}`;

/**
 * Commands of operators about a partition: kill switch and mode; written by the console. Its writers hold the advisory lock of this name,
 * which the eviction gate takes in shared mode.
 */
export const controlStream = (partition: string) => `control-${partition}`;

/** The clock of a queue; written by the timer. */
export const clockStream = (partition: string, queue: string) => `schedule-${partition}/${queue}`;
/** Advance notices of the next run of a clock; written by the planner. */
export const foresightStream = (partition: string, queue: string) => `foresight-${partition}/${queue}`;
/** The planner's events of a run. */
export const planStream = (enforcement: string) => `plan-${enforcement}`;
/** Commands of operators; written by the console. */
export const operatorStream = (enforcement: string) => `operator-${enforcement}`;
/**
 * Answers of owners to a run; written by the console. Its writers hold the advisory lock of this name, which the eviction gate takes in
 * shared mode.
 */
export const answersStream = (enforcement: string) => `answers-${enforcement}`;
/** The executor's events: the execution of the plan. */
export const runStream = (enforcement: string) => `execution-${enforcement}`;

const streamsOfRuns = [planStream(''), operatorStream(''), answersStream(''), runStream('')];

/** The run whose stream this is; undefined: it is another one. */
export function runOfStream(stream: string): string | undefined {
  const prefix = streamsOfRuns.find((of) => stream.startsWith(of));
  return prefix === undefined ? undefined : stream.slice(prefix.length);
}

/** sha256 of a plan's JSON text, hex: the same input gives the same one, years later too. */
export function digestOfPlan(plan: object): string {
  return createHash('sha256').update(keptJsonOf(plan)).digest('hex');
}
