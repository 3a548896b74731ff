import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReplayRequest } from '@curtail/contracts/api';
import { catalog } from '@curtail/contracts/events';
import {
  countRange,
  DamagedArchive,
  type LogRange,
  LogWithArchives,
  MissingArchive,
  type PackedChunk,
  readPackedSnapshot,
} from '@curtail/event-store';
import { ProblemException } from '@curtail/platform';
import type { DataSource } from 'typeorm';
import { type PlanOrigin, type RecordedPlan, type Replanned, recordedPlan } from './made-again.js';
import type { Remake } from './remake-apart.js';
import type { ReplayContext } from './replay-work.js';

/** The input of a plan as an archive has it, compressed; absent: the database may have it. */
export type PackedInput = PackedChunk[] | undefined;

/** Makes a recorded plan again from its recorded input. Reads, and changes nothing. */
export async function replan(
  db: DataSource,
  { snapshotDigest, trigger, settings }: PlanOrigin,
  archived: PackedInput,
  remake: Remake,
): Promise<Replanned> {
  const packed = archived ?? (await readPackedSnapshot(db, snapshotDigest));
  return packed ? remake({ origin: { snapshotDigest, trigger, settings }, packed }) : 'not kept';
}

/** Events of the log searched for plans with one statement. */
const pageSize = 1000;

const plansOf = ({ from, to }: ReplayRequest): LogRange => ({
  types: [catalog.PlanComputed.type],
  ...(from ? { from } : {}),
  ...(to ? { to } : {}),
});

export const countPlans = (db: DataSource, request: ReplayRequest): Promise<number> =>
  countRange(db, plansOf(request));

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
 * @param compare is called with each of them and adds what it finds to `found`, which is stored with the place.
 */
export async function overPlans(
  db: DataSource,
  context: ReplayContext,
  found: { plans: number },
  compare: (recorded: RecordedPlan, packed: PackedInput) => Promise<void>,
  folder?: string,
): Promise<void> {
  let { cursor } = context;
  const log = await openLog(db, folder, plansOf(context.request));
  for (let isOver = false; !isOver; ) {
    const { events, next, atEnd } = await log.page(cursor, plansOf(context.request), pageSize);
    for (const event of events) {
      await compare(recordedPlan(event), event.snapshot);
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
