import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type DataSource, QueryFailedError } from 'typeorm';
import { BrokenInvariant } from '#contracts';
import type { ProjectionsReplay, Unreadable } from '#contracts/api';
import {
  beginning,
  type Cursor,
  countBehind,
  type EventContent,
  type LogWithArchives,
  type RangePage,
  readRange,
  type Tx,
} from '#event-store';
import { advanceCursor, lockCursor } from '#messaging';
import { ARCHIVE_PLACE, type ArchivePlace } from '../../archive/archive.module.js';
import { foldEvents } from '../../read-model/fold-events.js';
import { forgetMissing } from '../../read-model/missing-victims.js';
import { readKnown } from '../../read-model/read-known.js';
import { readModelConsumer } from '../../read-model/statements.js';
import { openLog } from '../remake/replanned.js';
import type { ReplayContext, ReplayWork } from '../work/replay-work.js';
import {
  commitUnsynced,
  countNextRows,
  createNextTables,
  indexNextTables,
  isConsumerAt,
  lockLiveTables,
  nextTables,
  nextTablesFit,
  swapTables,
} from './next-tables.js';

/** Events of the log read with one statement and folded with a few. */
const pageSize = 5000;
const swapTries = 100;
const pauseMs = 100;
/** How long to wait for the live consumer to catch up with the new tables; if it does not run, it is moved along. */
const consumerWaitMs = 3000;

/**
 * Rebuilds the read model beside the live one, from the whole log in commit order, and swaps it in.
 *
 * The live consumer keeps running. For a moment, both stop for the swap: under the locks of the live tables and of the consumer's
 * cursor, the new tables are brought to exactly that cursor and swapped in. The consumer then continues exactly behind their
 * content, and readers see either the old tables or the new ones.
 *
 * After a crash, the tables and the cursor of the last page remain: they were committed together.
 */
@Injectable()
export class BuildProjections implements ReplayWork {
  readonly unit = 'events';

  constructor(@Inject(ARCHIVE_PLACE) private readonly archives: ArchivePlace) {}

  async count(db: DataSource): Promise<number> {
    const log = await openLog(db, this.archives.folder, {});
    return log.archivedEvents + (await countBehind(db, beginning));
  }

  async run(db: DataSource, context: ReplayContext): Promise<ProjectionsReplay> {
    const build = await this.prepare(db, context);
    await build.toTheEnd();
    await context.transaction(indexNextTables);
    return this.swapIn(db, context, build);
  }

  private async prepare(db: DataSource, context: ReplayContext): Promise<Build> {
    const build = new Build(await openLog(db, this.archives.folder, {}), context);
    if (context.resumed && (await nextTablesFit(db))) return build;
    build.startOver();
    await context.transaction(async (tx) => {
      await createNextTables(tx);
      await build.store(tx);
    });
    return build;
  }

  private async swapIn(db: DataSource, context: ReplayContext, build: Build): Promise<ProjectionsReplay> {
    for (let attempt = 1; ; attempt++) {
      // As close as possible, to keep the swap short.
      await build.toTheEnd();
      await this.untilConsumerIsThere(db, build.cursor);
      const counted = await countNextRows(db);
      const before = build.place;
      try {
        return await context.transaction(async (tx) => {
          // In the order in which the live consumer locks them.
          const cursor = await lockCursor(tx, readModelConsumer);
          await lockLiveTables(tx);
          await build.upTo(tx, cursor);
          const result = { events: build.done, ...counted, unreadable: build.unreadable };
          await swapTables(tx);
          await forgetMissing(tx);
          await moveConsumer(tx, build.cursor);
          await context.finish(tx, result);
          return result;
        });
      } catch (error) {
        if (attempt >= swapTries || !isBusy(error)) throw error;
        build.backTo(before);
        await delay(pauseMs);
        context.goOnUnlessStopped();
      }
    }
  }

  /** The live consumer updates its counters as it handles events, so it should not skip any. */
  private async untilConsumerIsThere(db: DataSource, place: Cursor): Promise<void> {
    for (const end = performance.now() + consumerWaitMs; performance.now() < end; ) {
      const rows = await isConsumerAt(db, readModelConsumer, place.transactionId, place.position);
      // No cursor: the consumer has never run.
      if (rows[0]?.there ?? true) return;
      await delay(pauseMs / 10);
    }
  }
}

/**
 * Moves the live consumer's cursor to that of the new tables, and never back: the consumer counts what it handles, and would count it
 * twice.
 */
async function moveConsumer(tx: Tx, to: Cursor): Promise<void> {
  if (await advanceCursor(tx, readModelConsumer, to)) return;
  throw new BrokenInvariant('the consumer of the read model is ahead of what could be read of the log');
}

interface Place {
  cursor: Cursor;
  done: number;
  unreadable: Unreadable;
}

/** The tables being built, and their cursor. */
class Build {
  cursor: Cursor;
  done: number;
  unreadable: Unreadable;

  constructor(
    private readonly log: LogWithArchives,
    private readonly context: ReplayContext,
  ) {
    this.cursor = context.cursor;
    this.done = context.done;
    this.unreadable = (context.result as { unreadable: Unreadable } | null)?.unreadable ?? noneUnreadable();
  }

  get place(): Place {
    return { cursor: this.cursor, done: this.done, unreadable: structuredClone(this.unreadable) };
  }

  startOver(): void {
    this.backTo({ cursor: beginning, done: 0, unreadable: noneUnreadable() });
  }

  backTo(place: Place): void {
    Object.assign(this, place);
  }

  /** Folds all events up to there, in a pipeline: reads the next page while one is folded and the previous one is written. */
  async toTheEnd(): Promise<void> {
    let reading = readAhead(this.log, this.cursor);
    let writing = Promise.resolve();
    for (let atEnd = false; !atEnd; ) {
      const page = await reading;
      // New events must not keep the loop running indefinitely.
      atEnd = page.atEnd;
      if (!atEnd) reading = readAhead(this.log, page.next);
      const known = await readKnown(page.events, this.unreadable);
      await writing;
      this.context.goOnUnlessStopped();
      if (page.passed === 0) return;
      this.cursor = page.next;
      this.done += page.passed;
      writing = this.context.transaction(async (tx) => {
        // A crash would lose rows and cursor together: then the page is folded again.
        await commitUnsynced(tx);
        await foldEvents(tx, nextTables, known);
        await this.store(tx);
      });
      // Its result is awaited when the next page is there.
      writing.catch(() => {});
    }
    await writing;
  }

  /** Same within one transaction, up to a nearby position. */
  async upTo(tx: Tx, place: Cursor): Promise<void> {
    for (let isThere = false; !isThere; ) {
      const { events, next, passed, atEnd } = await readRange(tx, this.cursor, { through: place }, pageSize);
      isThere = atEnd;
      await foldEvents(tx, nextTables, await readKnown(events, this.unreadable));
      this.cursor = next;
      this.done += passed;
    }
  }

  store(tx: Tx): Promise<void> {
    return this.context.moveOn(tx, {
      cursor: this.cursor,
      done: this.done,
      of: Math.max(this.context.of, this.done),
      result: { unreadable: this.unreadable },
    });
  }
}

const noneUnreadable = (): Unreadable => ({ count: 0, first: [] });

function readAhead(log: LogWithArchives, cursor: Cursor): Promise<RangePage<EventContent>> {
  const page = log.page(cursor, {}, pageSize);
  // Its result is awaited at its turn.
  page.catch(() => {});
  return page;
}

/** A long reader, or locks taken in another order: retry later. */
function isBusy(error: unknown): boolean {
  const code: unknown = error instanceof QueryFailedError ? error.driverError.code : undefined;
  return code === '55P03' || code === '40P01';
}
