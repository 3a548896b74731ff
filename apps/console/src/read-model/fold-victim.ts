import { setImmediate as statementsAreSent } from 'node:timers/promises';
import { type RecordedNotice, usersByApplication } from '#contracts';
import { planForValues, type Tx } from '#event-store';
import { decisionsOf } from '#planning';
import type { FoldedEvent } from './folded-event.js';
import {
  insertPlannedRows,
  noteForgotten,
  noteWaiting,
  plannedColumns,
  updateStates,
  type VictimOfPlan,
  type VictimState,
} from './statements.js';

/** The events that set the state of a victim. */
export const victimEvents = [
  'VictimOrdered',
  'VictimNotified',
  'VictimEvicted',
  'VictimRefused',
  'VictimGone',
  'VictimSpared',
  'VictimFailed',
] as const;
type VictimEvent = FoldedEvent<(typeof victimEvents)[number]>;

const victimNames = new Set<string>(victimEvents);

export const isVictimEvent = (event: FoldedEvent): event is VictimEvent => victimNames.has(event.name);

/**
 * The victims of new plans, one row each, and their states; the last event about a victim counts. A plan precedes its execution, so
 * an event about a victim whose plan is in the same page updates its new row.
 *
 * @param later runs whose victims are added apart: `AddMissingVictims`.
 */
export async function foldVictims(
  tx: Tx,
  table: string,
  events: readonly FoldedEvent[],
  later: ReadonlySet<string> = new Set(),
): Promise<void> {
  const last = new Map<string, VictimEvent>();
  for (const event of events) {
    if (isVictimEvent(event)) last.set(keyOf(event.data.enforcement, event.data.allocation), event);
  }
  const planned = events
    .filter((event): event is FoldedEvent<'PlanComputed'> => event.name === 'PlanComputed')
    .filter((plan) => !later.has(plan.data.enforcement))
    .flatMap((plan) =>
      victimsOfPlan(plan).map((victim) => {
        const key = keyOf(plan.data.enforcement, victim.victim.allocation);
        const event = last.get(key);
        last.delete(key);
        return event ? { ...victim, ...stateOf(event) } : victim;
      }),
    );
  const inserting = insertPlanned(tx, table, planned);
  // All of it goes into one write, unless the rows go into several.
  if (planned.length > plannedAtOnce) await inserting;
  const changed = [...last.values()].map((event) => ({ event, ...stateOf(event) }));
  await Promise.all([
    inserting,
    updateKnown(tx, table, changed),
    updateWaiting(tx, table, events),
    updateForgotten(tx, table, events),
  ]);
}

/** Victims that an earlier round notified and that still wait: the event that opens the round lists them. */
async function updateWaiting(tx: Tx, table: string, events: readonly FoldedEvent[]): Promise<void> {
  const opened = events.flatMap((event) =>
    event.name === 'EnforcementOpened' ? (event.data.wait ?? []).map((rank) => ({ event, rank })) : [],
  );
  if (opened.length === 0) return;
  await noteWaiting(
    tx,
    table,
    opened.map(({ event }) => event.data.enforcement),
    opened.map(({ rank }) => rank),
    opened.map(({ event }) => event.time.toISOString()),
  );
}

/** A round drops victims that an earlier round notified: they belong to that round. */
async function updateForgotten(tx: Tx, table: string, events: readonly FoldedEvent[]): Promise<void> {
  const forgotten = events.filter(
    (event): event is FoldedEvent<'VictimForgotten'> => event.name === 'VictimForgotten',
  );
  if (forgotten.length === 0) return;
  await noteForgotten(
    tx,
    table,
    forgotten.map(({ data }) => data.notifiedBy),
    forgotten.map(({ data }) => data.allocation),
    forgotten.map(({ time }) => time.toISOString()),
  );
}

const keyOf = (enforcement: string, allocation: string) => `${enforcement} ${allocation}`;

/** The victims of a plan, in the order of the plan. */
export function victimsOfPlan(plan: FoldedEvent<'PlanComputed'>): VictimOfPlan[] {
  const decisions = decisionsOf(plan.data.rules ?? []);
  const ownerOf = usersByApplication(plan.data.owners);
  const state = stateOf(plan);
  return plan.data.plan.victims.map((victim) => {
    const { rule = victim.cause ?? null, facts = null } = decisions.next().value ?? {};
    return { plan, victim, rule, facts, owner: ownerOf.get(victim.application) ?? null, ...state };
  });
}

/** Victims in one statement: the server inserts them while this process writes the next ones. */
export const plannedAtOnce = 5000;

export async function insertPlanned(tx: Tx, table: string, planned: readonly VictimOfPlan[]): Promise<void> {
  const inserting: Promise<unknown>[] = [];
  for (let from = 0; from < planned.length; from += plannedAtOnce) {
    const inserted = insertSome(tx, table, planned.slice(from, from + plannedAtOnce));
    // It is awaited when all are sent.
    inserted.catch(() => {});
    inserting.push(inserted);
    // Otherwise the server would get them only after the last of them.
    if (planned.length > plannedAtOnce) await statementsAreSent();
  }
  await Promise.all(inserting);
}

/** A JSON text for each column: the server needs half as long for them as for one of all rows, which repeats the name of each column. */
function insertSome(tx: Tx, table: string, planned: readonly VictimOfPlan[]): Promise<unknown> {
  const columns = plannedColumns.map(({ of }) => JSON.stringify(planned.map(of)));
  return insertPlannedRows(tx, table, columns);
}

async function updateKnown(
  tx: Tx,
  table: string,
  changed: (VictimState & { event: VictimEvent })[],
): Promise<void> {
  if (changed.length === 0) return;
  // A plan from when the table was empty reads the victims of the run up to the changed one, for each of them.
  await Promise.all([
    planForValues(tx),
    updateStates(tx, table, [
      changed.map(({ event }) => event.data.enforcement),
      changed.map(({ event }) => event.data.allocation),
      ...stateColumns(changed),
    ]),
  ]);
}

function stateColumns(of: VictimState[]): (string | number | null)[][] {
  return [
    of.map(({ state }) => state),
    of.map(({ code }) => code),
    of.map(({ message }) => message),
    of.map(({ about }) => (about ? JSON.stringify(about) : null)),
    of.map(({ secondsLost }) => secondsLost),
    of.map(({ at }) => at),
  ];
}

function stateOf(event: VictimEvent | FoldedEvent<'PlanComputed'>): VictimState {
  return {
    code: null,
    message: null,
    about: null,
    secondsLost: null,
    ...columnsOf(event),
    at: event.time.toISOString(),
  };
}

type RecordedReason = Pick<VictimState, 'code' | 'message' | 'about'>;

function columnsOf(
  event: VictimEvent | FoldedEvent<'PlanComputed'>,
): Pick<VictimState, 'state'> & Partial<VictimState> {
  switch (event.name) {
    case 'PlanComputed':
      return { state: 'planned' };
    case 'VictimOrdered':
      return { state: 'ordered' };
    case 'VictimNotified':
      return {
        state: 'notified',
        message: event.data.interrupts
          ? `asked to finish; killed at ${event.data.killAt} otherwise`
          : `not before ${event.data.killAt}, and only if a round still chooses it`,
      };
    case 'VictimEvicted':
      return { state: 'evicted', secondsLost: event.data.secondsLost ?? null };
    case 'VictimRefused':
      return { state: 'refused', ...reasonOf(event) };
    case 'VictimGone':
      return { state: 'gone', ...reasonOf(event) };
    case 'VictimSpared':
      return { state: 'spared', ...reasonOf(event) };
    case 'VictimFailed':
      return { state: 'failed', ...reasonOf(event) };
  }
}

function reasonOf({ data }: { data: RecordedNotice }): RecordedReason {
  return { code: data.code, message: data.message, about: data.about ?? null };
}
