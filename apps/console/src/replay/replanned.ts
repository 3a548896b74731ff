import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalog, InputError, type Plan } from '@curtail/contracts';
import {
  countRange,
  DamagedSnapshot,
  type LogRange,
  readRange,
  readSnapshotBody,
  type SaidEvent,
  saidBy,
} from '@curtail/event-store';
import { planInput } from '@curtail/planning';
import type { DataSource } from 'typeorm';
import type { ReplayContext } from './replay-work.js';
import type { Wish } from './wish.js';

/** A recorded plan as the log has it. */
export interface RecordedPlan {
  enforcement: string;
  queue: string;
  snapshotDigest: string;
  planDigest: string;
  trigger: unknown;
  settings: Record<string, unknown>;
  plan: Plan;
}

/** Made again: the plan, why there is none, or nothing because the input is no longer kept. */
export type Replanned = { plan: Plan } | { because: string } | 'not kept';

/** Makes a recorded plan again from its recorded input. Reads, and changes nothing. */
export async function replan(
  db: DataSource,
  { snapshotDigest, trigger, settings }: RecordedPlan,
): Promise<Replanned> {
  try {
    const snapshot = await readSnapshotBody(db, snapshotDigest);
    if (snapshot === undefined) return 'not kept';
    return { plan: planInput({ snapshot, trigger, settings }) };
  } catch (error) {
    if (!(error instanceof DamagedSnapshot || error instanceof InputError)) throw error;
    return { because: error.message };
  }
}

/** Events of the log looked at for plans with one statement. */
const pageSize = 1000;

const plansOf = ({ from, to }: Wish): LogRange => ({
  types: [catalog.PlanComputed.type],
  ...(from ? { from } : {}),
  ...(to ? { to } : {}),
});

export const countPlans = (db: DataSource, wish: Wish): Promise<number> => countRange(db, plansOf(wish));

/**
 * Goes over the recorded plans of a range from where the replay is, in the order of the log, with a turn for everybody else
 * between two of them.
 *
 * @param compare told each of them; what it finds it adds to `found`, which is stored with the place.
 */
export async function overPlans(
  db: DataSource,
  context: ReplayContext,
  found: { plans: number },
  compare: (recorded: RecordedPlan) => Promise<void>,
): Promise<void> {
  let { cursor } = context;
  for (let isOver = false; !isOver; ) {
    const { events, next, atEnd } = await readRange(db, cursor, plansOf(context.wish), pageSize);
    for (const event of events) {
      await compare(dataOf(event));
      await nextTurn();
      // What was found since the last stored place is found again.
      context.goOnUnlessStopped();
    }
    cursor = next;
    isOver = atEnd;
    const place = { cursor, done: found.plans, of: Math.max(context.of, found.plans), result: found };
    await context.transaction((tx) => context.moveOn(tx, place));
  }
}

const dataOf = (event: SaidEvent) => saidBy(event).data as unknown as RecordedPlan;
