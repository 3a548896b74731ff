import type { DataSource } from 'typeorm';
import { BrokenInvariant } from '#contracts';
import { type KnownEvent, readRange, type Tx } from '#event-store';
import { lockCursor } from '#messaging';
import { MissingVictims } from '../entities/index.js';
import { foldVictims, insertPlanned, victimsOfPlan } from './fold-victim.js';
import type { FoldedEvent } from './folded-event.js';
import { readKnown } from './read-known.js';
import {
  insertBehind,
  insertMissing,
  liveTables,
  missingIn,
  readModelConsumer,
  type VictimOfPlan,
} from './statements.js';

/*
 * A row of `read_victims_missing` is a run with a large plan whose victims are not all in the read model yet. They are added in
 * pieces, each in a transaction of its own, because a transaction that takes seconds would hold back all readers of the log. Meanwhile the
 * consumer of the read model continues. Its changes of victims that have no row yet have no effect, so the events after the plan are folded
 * again when all rows are there. The row states the progress, and moves in the transactions that make it: after a crash,
 * or beside another process, each piece is still added once.
 */

/** Victims that one transaction adds. Those of a smaller plan are added by the consumer of the read model itself. */
export const addedAtOnce = 2000;
/** Events that one transaction folds again, while the consumer waits. */
const foldedAtOnce = 1000;

export const isLargePlan = (event: KnownEvent): event is KnownEvent<'PlanComputed'> =>
  event.name === 'PlanComputed' && event.data.plan.victims.length > addedAtOnce;

/** Records plans whose victims have to be added. */
export async function noteMissing(
  tx: Tx,
  plans: readonly Pick<KnownEvent<'PlanComputed'>, 'data' | 'transactionId' | 'position'>[],
): Promise<void> {
  if (plans.length === 0) return;
  await insertMissing(
    tx,
    plans.map(({ data }) => data.enforcement),
    plans.map(({ transactionId }) => transactionId),
    plans.map(({ position }) => position),
  );
}

/**
 * Records that states of victims have to be folded again from an event on. The place of a run may move back at any time: each piece reads
 * it. A row is removed only where nothing follows its place.
 *
 * @param from if that is the plan of the run, all of its victims have rows by now.
 */
export async function noteBehind(tx: Tx, enforcement: string, from: KnownEvent): Promise<void> {
  const added = from.name === 'PlanComputed' ? from.data.plan.victims.length : 1;
  await insertBehind(tx, enforcement, from.transactionId, from.position, Math.max(1, added));
}

/** The runs whose victims are missing. @param partition absent: of all. */
export async function runsWithMissing(db: DataSource, partition?: string): Promise<string[]> {
  const rows = await missingIn(db, partition ?? null);
  return rows.map(({ enforcement }) => enforcement);
}

/** Whether victims of a run are missing. */
export const isMissing = (db: DataSource, enforcement: string): Promise<boolean> =>
  db.getRepository(MissingVictims).existsBy({ enforcement });

/** The whole read model was built again: nothing is missing. */
export async function forgetMissing(tx: Tx): Promise<void> {
  await tx.createQueryBuilder().delete().from(MissingVictims).execute();
}

/** Adds the missing victims of a run. @param goesOn asked before each transaction. */
export async function addMissing(db: DataSource, enforcement: string, goesOn: () => boolean): Promise<void> {
  // Before a transaction begins: a large plan takes a while to read.
  const victims = await plannedVictims(db, enforcement);
  while (goesOn() && (await db.transaction((tx) => addPiece(tx, enforcement, victims))));
  while (goesOn() && (await db.transaction((tx) => foldPiece(tx, enforcement))));
}

/** How far the victims of a run are added. @returns null if nothing is missing any more. */
const lockProgress = (tx: Tx, enforcement: string): Promise<MissingVictims | null> =>
  tx.getRepository(MissingVictims).findOne({ where: { enforcement }, lock: { mode: 'pessimistic_write' } });

/** The victims of the plan; none once all are added, since the place moves then. Until then it is that of the plan. */
async function plannedVictims(db: DataSource, enforcement: string): Promise<VictimOfPlan[]> {
  const progress = await db.getRepository(MissingVictims).findOneBy({ enforcement });
  if (!progress) return [];
  const { transactionId, position, added } = progress;
  const before = { transactionId, position: String(BigInt(position) - 1n) };
  const { events } = await readRange(db, before, {}, 1);
  const [plan] = await readKnown(events, { count: 0, first: [] });
  if (plan?.name === 'PlanComputed' && plan.data.enforcement === enforcement) return victimsOfPlan(plan);
  if (added === 0) throw new BrokenInvariant(`the log has no plan of ${enforcement} where it was read`);
  return [];
}

/** @returns whether there may be more. */
async function addPiece(tx: Tx, enforcement: string, victims: readonly VictimOfPlan[]): Promise<boolean> {
  const progress = await lockProgress(tx, enforcement);
  if (!progress) return false;
  const { added } = progress;
  const piece = victims.slice(added, added + addedAtOnce);
  if (piece.length === 0) return false;
  await insertPlanned(tx, liveTables.victims, piece);
  await tx.getRepository(MissingVictims).update({ enforcement }, { added: added + piece.length });
  return true;
}

/**
 * Folds events after the plan, up to the place of the consumer. It locks that first, as the consumer does: so both never change the same
 * victims at once, and before the consumer continues, each victim has the state of its last event again.
 *
 * @returns whether there may be more.
 */
async function foldPiece(tx: Tx, enforcement: string): Promise<boolean> {
  const through = await lockCursor(tx, readModelConsumer);
  const progress = await lockProgress(tx, enforcement);
  if (!progress) return false;
  const { events, next, passed } = await readRange(tx, progress, { through }, foldedAtOnce);
  const known = await readKnown(events, { count: 0, first: [] });
  await foldVictims(
    tx,
    liveTables.victims,
    known.filter((event) => concerns(enforcement, event)),
  );
  if (passed === 0) {
    await tx.getRepository(MissingVictims).delete({ enforcement });
    return false;
  }
  await tx.getRepository(MissingVictims).update({ enforcement }, next);
  return true;
}

const concerns = (enforcement: string, { name, data }: FoldedEvent) =>
  name === 'VictimForgotten'
    ? data.notifiedBy === enforcement
    : name !== 'PlanComputed' && 'enforcement' in data && data.enforcement === enforcement;
