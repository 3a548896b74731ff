import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource, type QueryRunner } from 'typeorm';
import type { ListPage, ReplayRequest, ReplayView } from '#contracts/api';
import type { Tx } from '#event-store';
import { LOG, ProblemException } from '#platform';
import { SCAN_DATABASE, type Worker } from '#runtime';
import type { QueryOf } from '../queries/list-query.js';
import { ArchiveLog } from './archive/archive-log.js';
import { RepublishEvents } from './kafka/republish-events.js';
import { BuildProjections } from './projections/build-projections.js';
import { processEnds } from './replay-problems.js';
import { ReplayDigests, ReplayShadows } from './shadow/replay-shadows.js';
import type { ReplayTarget } from './work/replay-request.js';
import {
  begin,
  checkpoint,
  end,
  listReplays,
  lock,
  oneReplay,
  type ReplayProgress,
  runningReplay,
  type TakenReplay,
  takeOver,
  unlock,
  wantStop,
} from './work/replay-rows.js';
import { type ReplayContext, ReplayStopped, type ReplayWork } from './work/replay-work.js';

/** A replay that runs in this process. */
export interface RunningReplay {
  replay: string;
  resumed: boolean;
  unit: string;
  done: number;
  of: number;
  /** Resolves to the result; rejects with the error that ended the replay. */
  finished: Promise<unknown>;
}

/**
 * Runs replays of the log: one per target at a time, in any console, beside all other work. Progress is stored in the database, so a
 * replay outlives its caller and is resumed after a crash.
 *
 *     requested --lock free--> running --all read--> done
 *        '--lock held--> refused  |--stop, or shutdown--> stopped
 *                                 |--an error--> failed
 *                                 '--crash--> interrupted (running, and the lock is free)
 *
 * The same request resumes stopped, failed and interrupted replays where they ended.
 */
@Injectable()
export class Replays implements Worker {
  private readonly works: Record<ReplayTarget, ReplayWork>;
  private readonly running = new Map<string, RunningReplay>();
  private ending = false;

  constructor(
    @Inject(SCAN_DATABASE) private readonly db: DataSource,
    @Inject(LOG) private readonly log: Logger,
    projections: BuildProjections,
    digest: ReplayDigests,
    shadow: ReplayShadows,
    kafka: RepublishEvents,
    archive: ArchiveLog,
  ) {
    this.works = { projections, digest, shadow, kafka, archive };
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.ending = true;
    await Promise.allSettled([...this.running.values()].map(({ finished }) => finished));
  }

  list(query: QueryOf<'replays'>): Promise<ListPage<ReplayView>> {
    return listReplays(this.db, query);
  }

  one(replay: string): Promise<ReplayView | undefined> {
    return oneReplay(this.db, replay);
  }

  /** Requests a stop at the next page, whichever process runs it. @returns false if it does not run. */
  wantStop(replay: string): Promise<boolean> {
    return wantStop(this.db, replay);
  }

  /**
   * Starts a replay, or continues the unfinished one of the same request.
   *
   * @throws ProblemException 409 while one into the same target runs, 503 while this process ends.
   */
  async begin(
    into: ReplayTarget,
    request: ReplayRequest,
    { by, restart }: { by: string; restart: boolean },
  ): Promise<RunningReplay> {
    const work = this.works[into];
    if (this.ending) throw processEnds();
    const connection = this.db.createQueryRunner();
    try {
      await connection.connect();
      if (!(await lock(connection.manager, into))) throw await this.refusal(into);
      const caller = { by, host: hostname() };
      const taken =
        (restart ? undefined : await takeOver(connection.manager, into, request, caller)) ??
        (await begin(connection.manager, into, request, await work.count(this.db, request), caller));
      const running = this.follow(work, connection, into, request, taken);
      this.running.set(taken.replay, running);
      this.log.info(
        { replay: taken.replay, into, by },
        `Replay ${taken.replay} into ${into}, requested by ${by}, ${taken.resumed ? `resumes at ${taken.done}` : 'begins at 0'} of ${taken.of} ${work.unit}.`,
      );
      return running;
    } catch (error) {
      await this.giveBack(connection, into);
      throw error;
    }
  }

  private follow(
    work: ReplayWork,
    connection: QueryRunner,
    into: ReplayTarget,
    request: ReplayRequest,
    taken: TakenReplay,
  ): RunningReplay {
    const running: RunningReplay = {
      replay: taken.replay,
      resumed: taken.resumed,
      unit: work.unit,
      done: taken.done,
      of: taken.of,
      finished: Promise.resolve(),
    };
    const context = this.context(connection, request, taken, running);
    running.finished = this.run(work, context)
      .finally(() => this.giveBack(connection, into))
      .finally(() => this.running.delete(taken.replay));
    // The caller may have disconnected.
    running.finished.catch(() => {});
    return running;
  }

  private async run(work: ReplayWork, context: ReplayContext): Promise<unknown> {
    const { replay } = context;
    try {
      const result = await work.run(this.db, context);
      await end(this.db, context, 'done', null, result);
      this.log.info({ replay }, `Replay ${replay} is done.`);
      return result;
    } catch (error) {
      const { message } = error as Error;
      const stopped = error instanceof ReplayStopped;
      if (stopped) this.log.info({ replay }, `Replay ${replay}: ${message}.`);
      else this.log.error({ replay, err: error }, `Replay ${replay} failed; the same request resumes it.`);
      // Without the database its row stays as it is, and counts as interrupted.
      await end(this.db, context, stopped ? 'stopped' : 'failed', message).catch(() => {});
      throw error;
    }
  }

  private context(
    connection: QueryRunner,
    request: ReplayRequest,
    taken: TakenReplay,
    running: RunningReplay,
  ): ReplayContext {
    let stopWanted = false;
    return {
      ...taken,
      request,
      transaction: (work) => connection.manager.transaction(work),
      moveOn: async (tx: Tx, to: ReplayProgress) => {
        const wanted = await checkpoint(tx, taken, to);
        stopWanted ||= wanted;
        running.done = to.done;
        running.of = to.of;
      },
      report: (done) => {
        running.done = done;
        running.of = Math.max(running.of, done);
      },
      finish: (tx, result) => end(tx, taken, 'done', null, result),
      goOnUnlessStopped: () => {
        if (stopWanted) throw new ReplayStopped('operator');
        if (this.ending) throw new ReplayStopped('shutdown');
      },
    };
  }

  private async giveBack(connection: QueryRunner, into: ReplayTarget): Promise<void> {
    await unlock(connection.manager, into).catch(() => {});
    await connection.release().catch(() => {});
  }

  private async refusal(into: ReplayTarget): Promise<ProblemException> {
    const other = await runningReplay(this.db, into);
    const how = other
      ? `${other.replay}, requested by ${other.by} at ${new Date(other.startedAt).toISOString()}, runs on ${other.host} and is at ${other.done} of ${other.of}`
      : 'another one has just started';
    return new ProblemException({
      code: 'replay-runs',
      title: 'A replay is already running',
      status: 409,
      detail: `Only one replay into ${into} runs at a time: ${how}.`,
      remedy: other
        ? `Wait for it (curtail get replays), or stop it: curtail replay --stop ${other.replay}`
        : 'Ask again.',
    });
  }
}
