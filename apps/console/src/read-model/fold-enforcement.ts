import type { KnownEvent, Tx } from '@curtail/event-store';

type EnforcementEvent = KnownEvent<
  | 'EnforcementScheduled'
  | 'EnforcementRescheduled'
  | 'EnforcementCancelled'
  | 'EnforcementStarted'
  | 'PlanComputed'
  | 'PlanFailed'
  | 'PlanApproved'
  | 'PlanRejected'
  | 'ExecutionOpened'
  | 'EnforcementEnded'
  | 'EnforcementReleased'
>;

type Columns = Record<string, string | number | null>;

/** Where a run stands, as a row: what the event says of it. */
function columnsOf(event: EnforcementEvent): Columns {
  switch (event.name) {
    case 'EnforcementScheduled':
    case 'EnforcementRescheduled':
      return { state: 'scheduled', due_at: event.data.dueAt };
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
    case 'PlanComputed':
      return {
        state: 'planned',
        plan_outcome: event.data.plan.outcome,
        target: JSON.stringify(event.data.plan.target),
        claimed: JSON.stringify(event.data.plan.claimed),
        shortfall: JSON.stringify(event.data.plan.shortfall),
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
        freed: JSON.stringify(event.data.freed),
        shortfall: JSON.stringify(event.data.shortfall),
        message: event.data.message,
      };
    case 'EnforcementReleased':
      return event.data.cause === 'lease-ended'
        ? { state: 'ended', outcome: 'lease-ended', ended_at: event.time.toISOString() }
        : {};
  }
}

/** Writes what an event says of a run into its row. Table and columns come from this file alone, never from an event. */
export async function foldEnforcement(tx: Tx, table: string, event: EnforcementEvent): Promise<void> {
  const columns: Columns = { ...columnsOf(event), updated_at: event.time.toISOString() };
  const names = Object.keys(columns);
  const values = Object.values(columns);
  await tx.query(
    `INSERT INTO ${table} (enforcement, partition, queue, state, updated_at)
     VALUES ($1, $2, $3, 'scheduled', $4) ON CONFLICT (enforcement) DO NOTHING`,
    [event.data.enforcement, event.data.partition, event.data.queue, event.time.toISOString()],
  );
  await tx.query(
    `UPDATE ${table} SET ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')} WHERE enforcement = $1`,
    [event.data.enforcement, ...values],
  );
}
