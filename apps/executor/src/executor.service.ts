import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { KnownEvent } from '#event-store';
import type { Claim, HeldRun } from '#runs';
import { mostDeaths } from '#runs';
import type { Worker } from '#runtime';
import { Wakeable } from '#waiting';
import { CarryOut } from './carry-out.js';
import { GiveUp } from './give-up.js';
import { OpenRuns } from './runs/open-runs.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './settings/executor-settings.js';

/** The maximum number of runs that one process carries out at the same time. */
const mostAtOnce = 64;
/** Connections of the pool that are not for turns. */
const forAllElse = 4;
const longestSleepMs = 1000;
/** Without any run: the consumer of this process wakes it for a new one. */
const longestIdleMs = 5000;
const nothing: Claim = { runs: [], nextDueInMs: undefined };

/**
 * A run that has the turn holds a connection (`Turns`), and checks its victim over others: with a turn on every
 * connection of the pool, all runs would wait for one another.
 */
export function runsAtOnce(poolSize = Number.POSITIVE_INFINITY): number {
  return Math.max(1, Math.min(mostAtOnce, poolSize - forAllElse));
}

/**
 * The running part of the executor: claims runs whose next step is due, carries them out until they have to wait, and
 * releases them. The consumer wakes it; otherwise it checks at the time of the next step, and once a second.
 */
@Injectable()
export class ExecutorService implements Worker {
  private readonly log = new Logger('Executor');
  /** By enforcement. */
  private readonly going = new Map<string, Promise<void>>();
  /**
   * The one among them that has crashed processes: never two, since it would be unknown which of them crashes the
   * process.
   */
  private suspect: string | undefined;
  /** New runs that have begun since the last claim was sent. */
  private readonly begun = new Set<string>();
  /** Runs without a successful step since then, by a monotonic clock. */
  private readonly failingSince = new Map<string, number>();
  private stopping = false;
  private loop: Promise<void> | undefined;
  private readonly waker = new Wakeable();
  private renewal: NodeJS.Timeout | undefined;
  private readonly atOnce: number;

  constructor(
    private readonly openRuns: OpenRuns,
    private readonly carryOut: CarryOut,
    private readonly giveUp: GiveUp,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    db: DataSource,
  ) {
    this.atOnce = settings.alone ? mostAtOnce : runsAtOnce((db.options as { poolSize?: number }).poolSize);
  }

  async start(): Promise<void> {
    if (this.settings.alone) await this.openRuns.takeOverAll();
    await this.openRuns.renewLocks(this.settings.leaseMs);
    this.renewal = setInterval(() => {
      this.openRuns.renewLocks(this.settings.leaseMs, this.stuck()).catch((error: Error) => {
        this.log.warn('Could not renew the locks of open runs; retrying.', { err: error });
      });
    }, this.settings.leaseMs / 4);
    this.loop = this.run();
  }

  /** Waits for the steps in progress; the remaining ones follow at the next start. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.renewal);
    this.wake();
    await this.loop;
    await Promise.all(this.going.values());
  }

  wake(): void {
    this.waker.wake();
  }

  /** Whether this process may hold so many new runs: it has started, and can carry all of them out at once. */
  hasRoomFor(runs: number): boolean {
    return this.loop !== undefined && !this.stopping && this.going.size + runs <= this.atOnce;
  }

  /**
   * Carries out new runs that this process holds. If it has no room left for one, it leaves that run to the next claim of any process.
   *
   * @param plans by enforcement: the only events that these runs have. A run without one here is loaded.
   */
  begin(added: readonly HeldRun[], plans: ReadonlyMap<string, KnownEvent> = new Map()): void {
    for (const held of added) {
      // A claim may have returned it first.
      if (this.going.has(held.enforcement)) continue;
      this.begun.add(held.enforcement);
      if (this.hasRoomFor(1)) this.carryOn(held, plans.get(held.enforcement));
      else void this.letGo(held).finally(() => this.wake());
    }
  }

  /** A hold that is not released now is taken back by the next claim, or expires. */
  private async letGo({ enforcement }: HeldRun): Promise<void> {
    await this.openRuns.release(enforcement, 0, { forgetDeaths: false }).catch(() => {});
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.waker.forget();
      try {
        const room = this.atOnce - this.going.size;
        this.begun.clear();
        const { runs, nextDueInMs } =
          room > 0
            ? await this.openRuns.claim(room, [...this.going.keys()], this.suspect === undefined)
            : nothing;
        // The claim does not know the new runs that have begun meanwhile, and returns them as runs that this process holds and has lost.
        for (const held of runs) {
          if (this.begun.has(held.enforcement)) continue;
          if (this.isFull()) await this.letGo(held);
          else this.carryOn(held);
        }
        if (runs.length === room) {
          // When this process is full, only a released run makes room.
          if (this.isFull()) await this.sleep(longestSleepMs);
        } else
          await this.sleep(
            nextDueInMs ?? longestIdleMs,
            nextDueInMs === undefined ? longestIdleMs : longestSleepMs,
          );
      } catch (error) {
        this.log.warn('Could not read open runs; retrying.', { err: error });
        await this.sleep(250);
      }
    }
  }

  /** Runs that fail for longer than a lease: they lose their lock, or their queue would never be released. */
  private stuck(): string[] {
    const longAgo = performance.now() - this.settings.leaseMs;
    return [...this.failingSince].filter(([, since]) => since < longAgo).map(([enforcement]) => enforcement);
  }

  private isFull(): boolean {
    return this.going.size >= this.atOnce;
  }

  private carryOn(held: HeldRun, plan?: KnownEvent): void {
    let continues = true;
    const isSuspect = held.deaths > 0;
    if (isSuspect) this.suspect = held.enforcement;
    const isGivenUp = held.deaths >= mostDeaths;
    const work = isGivenUp
      ? this.giveUp.end(held, () => this.stopping)
      : this.carryOut.advance(held, () => this.stopping, plan);
    const done = work
      .then(async (untilNextStepMs) => {
        this.failingSince.delete(held.enforcement);
        continues = untilNextStepMs !== undefined;
        if (untilNextStepMs === undefined) return;
        await this.openRuns.release(held.enforcement, untilNextStepMs, { forgetDeaths: !isGivenUp });
      })
      .catch(async (error: Error) => {
        if (!this.failingSince.has(held.enforcement)) {
          this.failingSince.set(held.enforcement, performance.now());
        }
        const { enforcement, queue } = held;
        this.log.warn('A step of a run failed; retrying in a second.', { enforcement, queue, err: error });
        await this.openRuns.release(held.enforcement, 1000, { forgetDeaths: !isGivenUp }).catch(() => {});
      })
      .finally(() => {
        // A run that is over leaves nothing to check, unless others wait for room, or for the place of a suspect.
        const leavesWork = continues || isSuspect || this.isFull();
        this.going.delete(held.enforcement);
        if (isSuspect) this.suspect = undefined;
        if (leavesWork) this.wake();
      });
    this.going.set(held.enforcement, done);
  }

  private async sleep(ms: number, longestMs = longestSleepMs): Promise<void> {
    await this.waker.sleep(Math.max(1, Math.min(ms, longestMs)));
  }
}
