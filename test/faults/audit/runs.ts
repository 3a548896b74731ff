import type { EventData } from '#contracts';
import type { Logged } from './history.js';

/** One clock of a queue and the run that it led to, with the places of its events in the log. */
export interface Run {
  enforcement: string;
  queue: string;
  scheduled: number;
  /** Its clock follows a run that fell short. */
  isUnblocked?: true;
  /** The clock was recorded as suspended, and has not been set again since. */
  suspended: boolean;
  cancelled?: { index: number; data: EventData<'EnforcementCancelled'> };
  started?: number;
  planned?: { index: number; data: EventData<'PlanComputed'> };
  opened?: { index: number; data: EventData<'EnforcementOpened'> };
  ended?: { index: number; time: Date; data: EventData<'EnforcementEnded'> };
  released?: number;
}

/** All clocks and runs of quotas in the log, by their id, in the order in which they were set. */
export function runsOf(log: readonly Logged[]): Map<string, Run> {
  const runs = new Map<string, Run>();
  log.forEach((event, index) => {
    const { enforcement = '', queue = '' } = event.data as { enforcement?: string; queue?: string };
    if (event.name === 'EnforcementScheduled') {
      const isUnblocked = event.data.cause === 'unblocked' ? { isUnblocked: true as const } : {};
      runs.set(enforcement, { enforcement, queue, scheduled: index, suspended: false, ...isUnblocked });
      return;
    }
    const run = runs.get(enforcement);
    if (run) note(run, event, index);
  });
  return runs;
}

function note(run: Run, event: Logged, index: number): void {
  switch (event.name) {
    case 'EnforcementRescheduled':
      run.suspended = false;
      return;
    case 'EnforcementSkipped':
      run.suspended ||= event.data.cause === 'suspended';
      return;
    case 'EnforcementCancelled':
      run.cancelled = { index, data: event.data };
      return;
    case 'EnforcementStarted':
      run.started = index;
      return;
    case 'PlanComputed':
      run.planned = { index, data: event.data };
      return;
    case 'EnforcementOpened':
      run.opened = { index, data: event.data };
      return;
    case 'EnforcementEnded':
      run.ended = { index, time: event.time, data: event.data };
      return;
    case 'EnforcementReleased':
      run.released = index;
  }
}
