import { waitingForApproval } from '#contracts';
import type { Tx } from '#event-store';
import type { FoldedEvent } from './folded-event.js';
import { addEvicted, writeRuns } from './statements.js';

/** The events that set columns of a run. */
export const enforcementEvents = [
  'EnforcementScheduled',
  'EnforcementRescheduled',
  'EnforcementCancelled',
  'EnforcementSkipped',
  'EnforcementStarted',
  'RoundStarted',
  'PlanComputed',
  'PlanFailed',
  'PlanApproved',
  'PlanRejected',
  'EnforcementOpened',
  'EnforcementHeld',
  'EnforcementEnded',
  'EnforcementReleased',
] as const;
export type EnforcementEvent = FoldedEvent<(typeof enforcementEvents)[number]>;

const enforcementNames = new Set<string>(enforcementEvents);

export const isEnforcementEvent = (event: FoldedEvent): event is EnforcementEvent =>
  enforcementNames.has(event.name) &&
  // Other skips belong to no run, or change none.
  (event.name !== 'EnforcementSkipped' || event.data.cause === 'suspended');

type Columns = Record<string, unknown>;

/** The state of a run as columns: those that the event sets. */
function columnsOf(event: EnforcementEvent): Columns {
  switch (event.name) {
    case 'EnforcementScheduled':
    case 'EnforcementRescheduled':
      return { state: 'scheduled', due_at: event.data.dueAt };
    case 'EnforcementSkipped':
      return { state: 'suspended' };
    case 'EnforcementCancelled':
      return {
        // A clock also ends without an operator: its queue is within its quota, or the quota was raised.
        state: event.data.cause === 'operator' ? 'cancelled' : 'ended',
        outcome: event.data.cause,
        ended_at: event.time.toISOString(),
      };
    case 'EnforcementStarted':
      return {
        state: 'planning',
        due_at: event.data.dueAt,
        started_at: event.data.startedAt,
        late_ms: event.data.lateMs,
        fencing_token: event.data.fencingToken,
      };
    case 'RoundStarted':
      return {
        state: 'planning',
        policy: event.data.policy,
        round: event.data.round,
        due_at: event.data.dueAt,
        started_at: event.data.startedAt,
        late_ms: event.data.lateMs,
        fencing_token: event.data.fencingToken,
      };
    case 'PlanComputed':
      return {
        state: 'planned',
        plan_outcome: event.data.plan.outcome,
        target: event.data.plan.target,
        claimed: event.data.plan.claimed,
        shortfall: event.data.plan.shortfall,
        victims: event.data.plan.victims.length,
      };
    case 'PlanFailed':
      return { state: 'plan failed', message: event.data.message };
    case 'PlanApproved':
      return { state: 'approved', message: `approved by user ${event.data.by}` };
    case 'PlanRejected':
      return { state: 'rejected', message: `rejected by user ${event.data.by}` };
    case 'EnforcementOpened':
      return {
        state: event.data.needsApproval ? waitingForApproval : 'executing',
        mode: event.data.mode,
        message: event.data.approvalReason ?? null,
      };
    case 'EnforcementHeld':
      return { state: waitingForApproval, message: event.data.message };
    case 'EnforcementEnded':
      return {
        state: 'ended',
        outcome: event.data.outcome,
        ended_at: event.time.toISOString(),
        evicted: event.data.evicted,
        notified: (event.data.notified ?? 0) + (event.data.waiting ?? 0),
        freed: event.data.freed,
        shortfall: event.data.shortfall,
        message: event.data.message,
      };
    case 'EnforcementReleased':
      // A run's recorded end takes precedence over the end of its lease.
      return event.data.cause === 'lease-ended'
        ? { state: 'ended', leaseEndedAt: event.time.toISOString() }
        : {};
  }
}

/**
 * Counts evictions during a run. An end carries the total: if the events include it, the row has it already.
 */
export async function countEvicted(tx: Tx, table: string, events: FoldedEvent[]): Promise<void> {
  const evicted = new Map<string, { count: number; at: string }>();
  for (const { name, data, time } of events) {
    if (name === 'VictimEvicted') {
      const count = (evicted.get(data.enforcement)?.count ?? 0) + 1;
      evicted.set(data.enforcement, { count, at: time.toISOString() });
    } else if (name === 'EnforcementEnded') evicted.delete(data.enforcement);
  }
  if (evicted.size === 0) return;
  const counted = [...evicted.values()];
  await addEvicted(
    tx,
    table,
    [...evicted.keys()],
    counted.map(({ count }) => count),
    counted.map(({ at }) => at),
  );
}

/** Writes events into the rows of their runs: all runs in one statement, each run in the order of its events. */
export async function foldRuns(tx: Tx, table: string, events: EnforcementEvent[]): Promise<void> {
  const runs = new Map<string, { partition: string; queue: string; changes: Columns }>();
  for (const event of events) {
    const { enforcement, partition, queue } = event.data;
    if (enforcement === undefined) continue;
    const run = runs.get(enforcement) ?? { partition, queue, changes: {} };
    Object.assign(run.changes, columnsOf(event), { updated_at: event.time.toISOString() });
    runs.set(enforcement, run);
  }
  if (runs.size === 0) return;
  const rows = [...runs.values()];
  // Each row is written once: a column that no event sets keeps its value or gets its default.
  await writeRuns(
    tx,
    table,
    [...runs.keys()],
    rows.map((run) => run.partition),
    rows.map((run) => run.queue),
    JSON.stringify(rows.map((run) => run.changes)),
  );
}
