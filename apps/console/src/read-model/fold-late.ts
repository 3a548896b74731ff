import { typesOf } from '#contracts/events';
import {
  type Cursor,
  clockStream,
  type KnownEvent,
  operatorStream,
  planStream,
  readEventsById,
  runStream,
  type Tx,
} from '#event-store';
import { lockCursor } from '#messaging';
import { addNewNotices } from './fold-notices.js';
import { type EnforcementEvent, enforcementEvents, foldRuns, isEnforcementEvent } from './fold-run.js';
import { insertPlanned, isVictimEvent, victimsOfPlan } from './fold-victim.js';
import type { FoldedEvent } from './folded-event.js';
import { noteBehind } from './missing-victims.js';
import { readKnown } from './read-known.js';
import { countEvictedAgain, eventsThatSetRun, liveTables, readModelConsumer } from './statements.js';

/**
 * Folds an event that could not be folded in its turn: what it changes is folded again from there to the place of the consumer, which is
 * locked. So the tables become what they would be without the failure, and folding the event twice changes nothing. States of victims
 * follow apart, in pieces (`AddMissingVictims`).
 *
 * @returns whether there are such.
 */
export async function foldLate(tx: Tx, event: KnownEvent): Promise<boolean> {
  const through = await lockCursor(tx, readModelConsumer);
  await addNewNotices(tx, liveTables.notices, event);
  if (isEnforcementEvent(event) || event.name === 'VictimEvicted') await foldRunFrom(tx, event, through);
  const behind = runOfVictims(event);
  if (behind === undefined) return false;
  if (event.name === 'PlanComputed') await insertPlanned(tx, liveTables.victims, victimsOfPlan(event));
  await noteBehind(tx, behind, event);
  return true;
}

/** The run with victims whose states the event may change. */
function runOfVictims(event: FoldedEvent): string | undefined {
  if (event.name === 'PlanComputed' || event.name === 'EnforcementOpened' || isVictimEvent(event)) {
    return event.data.enforcement;
  }
  return event.name === 'VictimForgotten' ? event.data.notifiedBy : undefined;
}

/** Folds the events of a run again that set columns of its row, and counts its evictions. */
async function foldRunFrom(
  tx: Tx,
  event: KnownEvent<EnforcementEvent['name'] | 'VictimEvicted'>,
  through: Cursor,
): Promise<void> {
  const { enforcement, partition, queue } = event.data;
  // Other skips are of no run: they set nothing.
  if (enforcement === undefined) return;
  const streams = [planStream, operatorStream, runStream].map((of) => of(enforcement));
  const rows = await eventsThatSetRun(tx, [
    [...streams, clockStream(partition, queue)],
    clockStream(partition, queue),
    enforcementEvents.flatMap(typesOf),
    ...[event.transactionId, event.position, through.transactionId, through.position],
    enforcement,
  ]);
  const ids = rows.map(({ id }) => id);
  const found = await readEventsById(tx, ids, new Set(ids));
  // One that breaks its schema is a dead letter of its own.
  const events = await readKnown(
    ids.map((id) => found.get(id)!),
    { count: 0, first: [] },
  );
  await foldRuns(tx, liveTables.enforcements, events.filter(isEnforcementEvent));
  // The end of a run states the number.
  await countEvictedAgain(tx, [
    enforcement,
    runStream(enforcement),
    typesOf('VictimEvicted'),
    typesOf('EnforcementEnded'),
    ...[through.transactionId, through.position],
  ]);
}
