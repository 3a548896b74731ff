import type { Claim, HeldExecution } from '@curtail/runs';
import { mostDeaths } from '@curtail/runs';
import type { Worker } from '@curtail/runtime';
import { Wakeable } from '@curtail/waiting';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CarryOut } from './carry-out.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './executor-settings.js';
import { GiveUp } from './give-up.js';
import { OpenExecutions } from './open-executions.js';

/** Runs carried out at once by one process, at the most. */
const mostAtOnce = 64;
/** Connections of the pool that are not for turns. */
const forAllElse = 4;
const longestSleepMs = 1000;
const nothing: Claim = { runs: [], nextDueInMs: undefined };

/**
 * A run that has the turn holds a connection (`Turns`), and checks its victim over others: with a turn on every connection
 * of the pool, all would wait for one another.
 */
export function runsAtOnce(poolSize = Number.POSITIVE_INFINITY): number {
  return Math.max(1, Math.min(mostAtOnce, poolSize - forAllElse));
}

/**
 * The running part of the executor: takes hold of runs whose next step is due, carries them on until they have to wait, and
 * lets them go again. Woken by the consumer; otherwise it checks at the time of the next step, and once a second.
 */
@Injectable()
export class ExecutorService implements Worker {
  private readonly log = new Logger('Executor');
  /** By enforcement. */
  private readonly going = new Map<string, Promise<void>>();
  /** Among them, the one with which processes have ended: never two, since it would be unknown which of them ends the process. */
  private suspect: string | undefined;
  /** Runs of which no step has succeeded since then, by a clock that only goes forward. */
  private readonly failingSince = new Map<string, number>();
  private stopping = false;
  private loop: Promise<void> | undefined;
  private readonly waker = new Wakeable();
  private renewal: NodeJS.Timeout | undefined;
  private readonly atOnce: number;

  constructor(
    @Inject(OpenExecutions) private readonly executions: OpenExecutions,
    @Inject(CarryOut) private readonly carryOut: CarryOut,
    @Inject(GiveUp) private readonly giveUp: GiveUp,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    @Inject(DataSource) db: DataSource,
  ) {
    this.atOnce = settings.alone ? mostAtOnce : runsAtOnce((db.options as { poolSize?: number }).poolSize);
  }

  async start(): Promise<void> {
    if (this.settings.alone) await this.executions.takeOverAll();
    await this.executions.renewLocks(this.settings.leaseMs);
    this.renewal = setInterval(() => {
      this.executions.renewLocks(this.settings.leaseMs, this.stuck()).catch((error: Error) => {
        this.log.warn('Could not renew the locks of open runs; retrying.', { err: error });
      });
    }, this.settings.leaseMs / 4);
    this.loop = this.run();
  }

  /** Lets steps in progress end; what remains goes on at the next start. */
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

  private async run(): Promise<void> {
    while (!this.stopping) {
      this.waker.forget();
      try {
        const room = this.atOnce - this.going.size;
        const { runs, nextDueInMs } =
          room > 0
            ? await this.executions.claim(room, [...this.going.keys()], this.suspect === undefined)
            : nothing;
        for (const execution of runs) this.carryOn(execution);
        if (runs.length === room) {
          // With all hands full, only a run that is let go makes room.
          if (this.isFull()) await this.sleep(longestSleepMs);
        } else await this.sleep(nextDueInMs ?? longestSleepMs);
      } catch (error) {
        this.log.warn('Could not read open runs; retrying.', { err: error });
        await this.sleep(250);
      }
    }
  }

  /** Runs that fail for longer than a lease: they lose their lock, or their queue would never be free again. */
  private stuck(): string[] {
    const longAgo = performance.now() - this.settings.leaseMs;
    return [...this.failingSince].filter(([, since]) => since < longAgo).map(([enforcement]) => enforcement);
  }

  private isFull(): boolean {
    return this.going.size >= this.atOnce;
  }

  private carryOn(execution: HeldExecution): void {
    let goesOn = true;
    const isSuspect = execution.deaths > 0;
    if (isSuspect) this.suspect = execution.enforcement;
    const isGivenUp = execution.deaths >= mostDeaths;
    const work = isGivenUp
      ? this.giveUp.end(execution, () => this.stopping)
      : this.carryOut.advance(execution, () => this.stopping);
    const done = work
      .then(async (untilNextStepMs) => {
        this.failingSince.delete(execution.enforcement);
        goesOn = untilNextStepMs !== undefined;
        if (untilNextStepMs === undefined) return;
        await this.executions.letGo(execution.enforcement, untilNextStepMs, { forgetDeaths: !isGivenUp });
      })
      .catch(async (error: Error) => {
        if (!this.failingSince.has(execution.enforcement)) {
          this.failingSince.set(execution.enforcement, performance.now());
        }
        const { enforcement, queue } = execution;
        this.log.warn('A step of a run failed; retrying in a second.', { enforcement, queue, err: error });
        await this.executions
          .letGo(execution.enforcement, 1000, { forgetDeaths: !isGivenUp })
          .catch(() => {});
      })
      .finally(() => {
        // One that is over leaves nothing to check, unless others wait for room, or for the place of a suspect.
        const leavesWork = goesOn || isSuspect || this.isFull();
        this.going.delete(execution.enforcement);
        if (isSuspect) this.suspect = undefined;
        if (leavesWork) this.wake();
      });
    this.going.set(execution.enforcement, done);
  }

  private async sleep(ms: number): Promise<void> {
    await this.waker.sleep(Math.max(1, Math.min(ms, longestSleepMs)));
  }
}
