import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalog, InputError, type Plan } from '@curtail/contracts';
import {
  countRange,
  DamagedArchive,
  DamagedSnapshot,
  type LogRange,
  LogWithArchives,
  MissingArchive,
  type PackedChunk,
  readSnapshotBody,
  type SaidEvent,
  saidBy,
  unpackSnapshot,
} from '@curtail/event-store';
import { planInput } from '@curtail/planning';
import { ProblemException } from '@curtail/platform';
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

/** The input of a plan as an archive has it, compressed; absent: the database may have it. */
export type PackedInput = PackedChunk[] | undefined;

/** Makes a recorded plan again from its recorded input. Reads, and changes nothing. */
export async function replan(
  db: DataSource,
  { snapshotDigest, trigger, settings }: RecordedPlan,
  packed: PackedInput,
): Promise<Replanned> {
  try {
    const snapshot = packed
      ? await unpackSnapshot(packed, snapshotDigest)
      : await readSnapshotBody(db, snapshotDigest);
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

/** The whole log as a replay reads it. @throws ProblemException 409 where archives that it needs are not there, or are damaged. */
export async function openLog(
  db: DataSource,
  folder: string | undefined,
  range: LogRange,
): Promise<LogWithArchives> {
  try {
    return await LogWithArchives.open(db, folder, range);
  } catch (error) {
    if (!(error instanceof MissingArchive || error instanceof DamagedArchive)) throw error;
    throw new ProblemException({
      code: 'archive-not-usable',
      title: 'An archive of the log cannot be used',
      status: 409,
      detail: error.message,
      remedy:
        'Put the files of the archive back below CURTAIL_ARCHIVE_DIR of the console (`curtail log verify DIR` checks them), or ask with --from for what is not archived.',
    });
  }
}

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
  compare: (recorded: RecordedPlan, packed: PackedInput) => Promise<void>,
  folder?: string,
): Promise<void> {
  let { cursor } = context;
  const log = await openLog(db, folder, plansOf(context.wish));
  for (let isOver = false; !isOver; ) {
    const { events, next, atEnd } = await log.page(cursor, plansOf(context.wish), pageSize);
    for (const event of events) {
      await compare(dataOf(event), event.snapshot);
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
