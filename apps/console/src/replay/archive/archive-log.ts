import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Archivable, Archived, ReplayRequest } from '#contracts/api';
import {
  type ArchiveManifest,
  archivedBefore,
  type Cursor,
  databaseTime,
  detachPartition,
  dropPartition,
  endOfPartition,
  forgetIds,
  isLockTimeout,
  type LogPartition,
  layThrough,
  logPartitions,
  noteEnd,
  noteWritten,
  readManifest,
  verifyArchive,
  writeArchive,
} from '#event-store';
import { ProblemException } from '#platform';
import { SCAN_DATABASE } from '#runtime';
import { ARCHIVE_PLACE, type ArchivePlace, folderOf } from '../../archive/archive.module.js';
import type { ReplayContext, ReplayWork } from '../work/replay-work.js';
import { estimatedEvents } from './statements.js';
import { countWorkedWith, keepBehind, keepWorkedWith, type Need, stillNeeded } from './still-needed.js';

const dayMs = 86_400_000;
const lockTries = 100;
const pauseMs = 300;

/**
 * Moves whole partitions of the log, oldest first, from the database into files.
 *
 *     part of the log --file written, read back--> written --events in use moved on, detached--> detached
 *                                                                            --ids forgotten--> dropped
 *
 * Each state is committed before the next step, and a second call resumes from there: at any moment an event is in the database or
 * in a verified file. The end of the archived part is fixed once, before its file is written.
 */
@Injectable()
export class ArchiveLog implements ReplayWork {
  readonly unit = 'events';

  constructor(
    @Inject(SCAN_DATABASE) private readonly db: DataSource,
    @Inject(ARCHIVE_PLACE) private readonly place: ArchivePlace,
  ) {}

  /**
   * Lists the partitions that would be archived.
   *
   * @throws ProblemException 409 that names each reader, what it still needs, and the remedy.
   */
  async archivable(before: string): Promise<Archivable[]> {
    folderOf(this.place);
    const all = await logPartitions(this.db);
    const due = await this.due(all, before);
    const found: Archivable[] = [];
    const needs: Need[] = [];
    for (const partition of due) {
      const { name, state } = partition;
      if (state === 'detached') {
        found.push({ ...monthsOf(partition), events: 0, stay: 0 });
        continue;
      }
      const through =
        partition.through ?? (await endOfPartition(this.db, partition, archivedBefore(all, name)));
      if (through) {
        const ofThis = await stillNeeded(this.db, name, through);
        needs.push(...ofThis.map(({ what, next }) => ({ what: `${name}: ${what}`, next })));
      }
      found.push({
        ...monthsOf(partition),
        events: await this.estimate(name),
        stay: await countWorkedWith(this.db, partition),
      });
    }
    if (needs.length > 0) throw stillNeededProblem(needs);
    if (found.length === 0) throw await this.nothingDue(all, before);
    return found;
  }

  async count(_db: DataSource, { before }: ReplayRequest): Promise<number> {
    return (await this.archivable(before!)).reduce((sum, { events }) => sum + events, 0);
  }

  async run(_db: DataSource, context: ReplayContext): Promise<Archived> {
    const { before, folder = '.' } = context.request;
    const found = (context.result as Archived | null) ?? { partitions: [], events: 0 };
    for (;;) {
      const all = await logPartitions(this.db);
      const [partition] = await this.due(all, before!);
      if (!partition) return found;
      const onProgress = (events: number) => {
        context.goOnUnlessStopped();
        context.report(found.events + events);
      };
      found.partitions.push(await this.archive(partition, all, folder, onProgress));
      found.events += found.partitions.at(-1)!.events;
      await context.transaction((tx) =>
        context.moveOn(tx, {
          cursor: context.cursor,
          done: found.events,
          of: Math.max(context.of, found.events),
          result: found,
        }),
      );
      context.goOnUnlessStopped();
    }
  }

  /** Those that end before a time and have aged enough: oldest first, without a gap. */
  private async due(all: LogPartition[], before: string): Promise<LogPartition[]> {
    const now = await databaseTime(this.db);
    const latest = Math.min(Date.parse(before), now.getTime() - this.place.afterDays * dayMs);
    return all.filter(({ state, to }) => state !== 'dropped' && to.getTime() <= latest);
  }

  private async archive(
    partition: LogPartition,
    all: LogPartition[],
    subfolder: string,
    onProgress: (events: number) => void,
  ): Promise<Archived['partitions'][number]> {
    const { name } = partition;
    let stayed = 0;
    if (partition.state === null) await this.write(partition, all, subfolder, onProgress);
    const [written] = (await logPartitions(this.db)).filter((one) => one.name === name);
    const archive = written!.archive!;
    if (partition.state !== null) await this.assertThere(archive);
    if (written!.state === 'written') {
      stayed = await keepWorkedWith(this.db, partition);
      await this.detach(partition, written!.through);
    }
    await forgetIds(this.db, name);
    await dropPartition(this.db, name);
    return { ...archive, stayed };
  }

  private async write(
    partition: LogPartition,
    all: LogPartition[],
    subfolder: string,
    onProgress: (events: number) => void,
  ): Promise<void> {
    const { name } = partition;
    const after = archivedBefore(all, name);
    const through = partition.through ?? (await this.decideEnd(partition, after));
    if (through) {
      const needs = await stillNeeded(this.db, name, through);
      if (needs.length > 0) throw stillNeededProblem(needs);
      await keepBehind(this.db, partition, through);
      await layThrough(this.db, through);
    }
    const folder = join(folderOf(this.place), subfolder);
    const part = { ...monthsOf(partition), after, through };
    const manifest = await writeArchive(this.db, folder, part, {
      now: await databaseTime(this.db),
      onProgress,
    }).catch(async (error) => {
      await rm(join(folder, `${name}.jsonl.gz.part`), { force: true });
      throw error;
    });
    await verifyArchive(folder, await readManifest(folder, name));
    await noteWritten(this.db, name, { ...manifest, folder: subfolder });
  }

  private async decideEnd(partition: LogPartition, after: Cursor): Promise<Cursor | undefined> {
    const through = await endOfPartition(this.db, partition, after);
    if (!through) return undefined;
    await noteEnd(this.db, partition.name, through);
    return through;
  }

  /** Written by an earlier call. @throws DamagedArchive */
  private async assertThere(archive: ArchiveManifest & { folder: string }): Promise<void> {
    await verifyArchive(join(folderOf(this.place), archive.folder), archive);
  }

  /** Tries the lock repeatedly for short moments, since other writers queue behind each attempt. */
  private async detach({ name }: LogPartition, through: Cursor | null): Promise<void> {
    for (let n = 1; ; n++) {
      try {
        await detachPartition(this.db, name, through);
        return;
      } catch (error) {
        if (!isLockTimeout(error) || n === lockTries) throw error;
        await delay(pauseMs);
      }
    }
  }

  private async estimate(name: string): Promise<number> {
    const rows = await estimatedEvents(this.db, name);
    return rows[0]?.events ?? 0;
  }

  private async nothingDue(all: LogPartition[], before: string): Promise<ProblemException> {
    const next = all.find(({ state }) => state !== 'dropped');
    const ends = next ? ` The oldest partition, ${next.name}, ends at ${next.to.toISOString()}.` : '';
    return new ProblemException({
      code: 'nothing-to-archive',
      title: 'Nothing to archive',
      status: 409,
      detail: `No partition of the log ends before ${before} and more than ${this.place.afterDays} days ago.${ends}`,
      remedy: `Give a later --before, or wait: a month is archived ${this.place.afterDays} days after its end.`,
    });
  }
}

const monthsOf = ({ name, from, to }: LogPartition) => ({
  partition: name,
  from: from?.toISOString() ?? null,
  to: to.toISOString(),
});

function stillNeededProblem(needs: Need[]): ProblemException {
  return new ProblemException({
    code: 'still-needed',
    title: 'The log is still needed',
    status: 409,
    detail: needs.map(({ what }) => what).join('; '),
    remedy: [...new Set(needs.map(({ next }) => next))].join('; '),
  });
}
