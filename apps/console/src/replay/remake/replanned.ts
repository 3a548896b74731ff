import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { ReplayRequest } from '#contracts/api';
import { catalog } from '#contracts/events';
import {
  countRange,
  DamagedArchive,
  type LogRange,
  LogWithArchives,
  MissingArchive,
  type PackedChunk,
  readPackedSnapshot,
} from '#event-store';
import { ProblemException } from '#platform';
import { type PlanOfLog, type PlanOrigin, type Replanned, recordedPlanOf } from '#replay';
import type { ReplayContext } from '../work/replay-work.js';
import type { Remake } from './remake-in-thread.js';

/** The compressed input of a plan in an archive; absent: the database may have it. */
export type PackedInput = PackedChunk[] | undefined;

/** Recomputes a recorded plan from its recorded input. Read-only. */
export async function replan(
  db: DataSource,
  { snapshotDigest, trigger, settings }: PlanOrigin,
  archived: PackedInput,
  remake: Remake,
): Promise<Replanned> {
  const packed = archived ?? (await readPackedSnapshot(db, snapshotDigest));
  return packed ? remake({ origin: { snapshotDigest, trigger, settings }, packed }) : 'not kept';
}

/** Events searched for plans with one statement. */
const pageSize = 1000;

const plansOf = ({ from, to }: ReplayRequest): LogRange => ({
  types: [catalog.PlanComputed.type],
  ...(from ? { from } : {}),
  ...(to ? { to } : {}),
});

export const countPlans = (db: DataSource, request: ReplayRequest): Promise<number> =>
  countRange(db, plansOf(request));

/** The whole log as a replay reads it. @throws ProblemException 409 if a needed archive is missing or damaged. */
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
 * Visits the recorded plans of a range from the replay's position on, in the order of the log, and yields to other work between
 * plans.
 *
 * @param compare receives each plan and adds its result to `found`, which is stored with the position.
 */
export async function overPlans(
  db: DataSource,
  context: ReplayContext,
  found: { plans: number },
  compare: (recorded: PlanOfLog, packed: PackedInput) => Promise<void>,
  folder?: string,
): Promise<void> {
  let { cursor } = context;
  const log = await openLog(db, folder, plansOf(context.request));
  for (let isOver = false; !isOver; ) {
    const { events, next, atEnd } = await log.page(cursor, plansOf(context.request), pageSize);
    for (const event of events) {
      await compare(recordedPlanOf(event), event.snapshot);
      await nextTurn();
      // Results since the last stored position are computed again.
      context.goOnUnlessStopped();
    }
    cursor = next;
    isOver = atEnd;
    const place = { cursor, done: found.plans, of: Math.max(context.of, found.plans), result: found };
    await context.transaction((tx) => context.moveOn(tx, place));
  }
}
