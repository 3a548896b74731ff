import type { Logged } from '../audit/history.js';
import { named } from '../audit/log-checks.js';

/** Measurements of a fault, in milliseconds; shown, and compared with the goals, never a finding. */
export interface Measured {
  what: string;
  ms: number;
  /** Aimed at, on a quiet machine. */
  targetMs?: number;
}

/** The longest that a run waited for its plan, of those that started from a moment on: what the loss of a planner costs. */
export function longestWaitForPlan(log: readonly Logged[], from: Date): number {
  const planned = new Map<string, number>();
  for (const { name, data, time } of log) {
    if (name === 'PlanComputed' || name === 'PlanFailed') planned.set(data.enforcement, time.getTime());
  }
  return longest(
    named(log, 'EnforcementStarted')
      .filter(({ time }) => time >= from)
      .map(({ data, time }) => (planned.get(data.enforcement) ?? time.getTime()) - time.getTime()),
  );
}

/** The latest start of a run after its due time. */
export function latestStart(log: readonly Logged[], from: Date): number {
  return longest(
    named(log, 'EnforcementStarted')
      .filter(({ time }) => time >= from)
      .map(({ data }) => data.lateMs),
  );
}

function longest(all: number[]): number {
  return all.reduce((most, one) => Math.max(most, one), 0);
}
