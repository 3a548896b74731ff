import { quotaPolicy } from '@curtail/contracts';
import type { Tx } from '@curtail/event-store';
import type { FoldedEvent } from './folded-event.js';

const enforcementEvents = [
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
  'ExecutionOpened',
  'EnforcementEnded',
  'EnforcementReleased',
] as const;
type EnforcementEvent = FoldedEvent<(typeof enforcementEvents)[number]>;

const enforcementNames = new Set<string>(enforcementEvents);

export const isEnforcementEvent = (event: FoldedEvent): event is EnforcementEvent =>
  enforcementNames.has(event.name) &&
  // What else is skipped belongs to no run, or changes none.
  (event.name !== 'EnforcementSkipped' || event.data.cause === 'suspended');

type Columns = Record<string, unknown>;

/** Where a run stands, as a row: what the event says of it. */
function columnsOf(event: EnforcementEvent): Columns {
  switch (event.name) {
    case 'EnforcementScheduled':
    case 'EnforcementRescheduled':
      return { state: 'scheduled', due_at: event.data.dueAt };
    case 'EnforcementSkipped':
      return { state: 'suspended' };
    case 'EnforcementCancelled':
      return { state: 'cancelled', outcome: event.data.cause, ended_at: event.time.toISOString() };
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
      return { state: 'approved', message: `approved by ${event.data.by}` };
    case 'PlanRejected':
      return { state: 'rejected', message: `rejected by ${event.data.by}` };
    case 'ExecutionOpened':
      return {
        state: event.data.needsApproval ? 'waiting for approval' : 'executing',
        mode: event.data.mode,
        message: event.data.approvalReason ?? null,
      };
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
      // Of a run whose end is on record too, that end is what is shown.
      return event.data.cause === 'lease-ended'
        ? { state: 'ended', leaseEndedAt: event.time.toISOString() }
        : {};
  }
}

/** The columns that events set. Names stand in this file alone; what an event says is only ever a value. */
const set = [
  'state',
  'outcome',
  'due_at',
  'started_at',
  'ended_at',
  'late_ms',
  'fencing_token',
  'mode',
  'plan_outcome',
  'target',
  'claimed',
  'shortfall',
  'freed',
  'victims',
  'policy',
  'round',
  'notified',
  'evicted',
  'message',
  'updated_at',
];

/** What is written into the columns: what `said` has of them, or, where a run has no end of its own, the end of its lease. */
const values = (said: string): string =>
  set
    .map((column) => {
      if (column === 'outcome')
        return `coalesce(${said}.outcome, CASE WHEN run.changes ->> 'leaseEndedAt' IS NOT NULL THEN 'lease-ended' END)`;
      if (column === 'ended_at')
        return `coalesce(${said}.ended_at, (run.changes ->> 'leaseEndedAt')::timestamptz)`;
      return `${said}.${column}`;
    })
    .join(', ');

/** What stands in a new row where no event says anything else. */
const usual = JSON.stringify({
  state: 'scheduled',
  policy: quotaPolicy,
  victims: 0,
  notified: 0,
  evicted: 0,
});

/**
 * Counts evictions while a run goes on. An end says how many there were: where it is among the events, it stands in the row already.
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
  await tx.query(
    `UPDATE ${table} AS row SET evicted = row.evicted + more.count, updated_at = more.at
     FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS more (enforcement, count, at)
     WHERE row.enforcement = more.enforcement`,
    [[...evicted.keys()], counted.map(({ count }) => count), counted.map(({ at }) => at)],
  );
}

/** Writes what events say of their runs into the rows of these: of one run in the order of the events, of all at once. */
export async function foldEnforcements(tx: Tx, table: string, events: EnforcementEvent[]): Promise<void> {
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
  // Each row is written once: a column that no event named keeps its value, or has what is usual.
  await tx.query(
    `WITH run AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::json[]) AS run (enforcement, partition, queue, changes)
     ), known AS (
       UPDATE ${table} AS row SET (${set}) = (SELECT ${values('said')} FROM json_populate_record(row, run.changes) AS said)
       FROM run WHERE row.enforcement = run.enforcement
       RETURNING row.enforcement
     )
     INSERT INTO ${table} (enforcement, partition, queue, ${set})
     SELECT run.enforcement, run.partition, run.queue, ${values('said')}
     FROM run, json_populate_record((SELECT json_populate_record(NULL::${table}, $5)), run.changes) AS said
     WHERE NOT EXISTS (SELECT FROM known WHERE known.enforcement = run.enforcement)`,
    [
      [...runs.keys()],
      rows.map((run) => run.partition),
      rows.map((run) => run.queue),
      rows.map((run) => JSON.stringify(run.changes)),
      usual,
    ],
  );
}
