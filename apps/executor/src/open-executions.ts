import { randomUUID } from 'node:crypto';
import type { StoredEvent, Tx } from '@curtail/event-store';
import { renewExecutingRounds } from '@curtail/rounds';
import {
  addDeadlyExecution,
  addExecutions,
  type Claim,
  claimExecutions,
  keepHold,
  letGo,
  mostDeaths,
  type OpenExecution,
  removeExecutions,
  renewLocksOfOpen,
  takeOverAll,
  touchExecutions,
} from '@curtail/runs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

const holdMs = 15_000;
/** Of a run that takes long in one step. */
export const renewHoldEveryMs = holdMs / 3;
/** A hold that was renewed so recently cannot have been lost: the database is not asked. */
const surelyHeldMs = holdMs / 3;

/**
 * The runs that are not over, as work to be done: each has the moment of its next step, and at most one process holds it.
 * A process that dies loses its hold when the time is over; the run goes on from its stream, wherever it was.
 */
@Injectable()
export class OpenExecutions {
  /** Names this process as the holder of runs. */
  readonly owner = randomUUID();
  /** When a hold was last asked for, by a clock that only goes forward. */
  private readonly renewedAt = new Map<string, number>();

  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Adds runs; their first steps are due at once. */
  add(tx: Tx, executions: OpenExecution[]): Promise<void> {
    return addExecutions(tx, executions);
  }

  /** Adds the run of a plan that processes end with when they read it: it is over with its first step, without being loaded. */
  addGivenUp(tx: Tx, planComputed: Pick<StoredEvent, 'id'>): Promise<void> {
    return addDeadlyExecution(tx, planComputed.id, mostDeaths);
  }

  /** Something happened that a run may wait for. A run that is held is checked again when it is released. */
  touch(tx: Tx, which: { enforcement: string } | { partition: string }): Promise<void> {
    return touchExecutions(tx, which);
  }

  /**
   * Takes hold of runs whose next step is due, or whose holder is gone.
   *
   * A process that ends takes all with it that it holds, and which run ended it is unknown. So the loss counts for all of them that
   * have recorded nothing, and of those a process carries on one at a time.
   *
   * @param carried what this process carries on now, which it must not take a second time however long a step takes. What it
   *   holds besides fell out of its hands when the database was away: it takes that back at once, not when the hold is over.
   * @param mayTakeSuspect whether one run with which processes have ended may be among them: the one with the most deaths.
   */
  async claim(limit: number, carried: string[], mayTakeSuspect = true): Promise<Claim> {
    const asked = performance.now();
    const { owner } = this;
    const claim = await claimExecutions(this.db, { owner, holdMs, carried, mayTakeSuspect }, limit);
    for (const { enforcement } of claim.runs) this.renewedAt.set(enforcement, asked);
    return claim;
  }

  /** @returns false if the hold was lost: somebody else has the run, and nothing may be done for it any more. */
  async keepHold(enforcement: string): Promise<boolean> {
    const asked = performance.now();
    if (asked - (this.renewedAt.get(enforcement) ?? -Infinity) < surelyHeldMs) return true;
    const kept = await keepHold(this.db, enforcement, { owner: this.owner, holdMs });
    if (kept) this.renewedAt.set(enforcement, asked);
    else this.renewedAt.delete(enforcement);
    return kept;
  }

  /** The hold turned out to be lost: the next question about it goes to the database. */
  doubtHold(enforcement: string): void {
    this.renewedAt.delete(enforcement);
  }

  /**
   * Lets a run go until its next step, or until it is touched. A span, since the clock of the database may be another.
   *
   * @param options.forgetDeaths this process has carried the run on, and lives.
   */
  async letGo(
    enforcement: string,
    untilNextStepMs: number,
    { forgetDeaths }: { forgetDeaths: boolean },
  ): Promise<void> {
    this.renewedAt.delete(enforcement);
    await letGo(this.db, enforcement, { owner: this.owner, untilNextStepMs, forgetDeaths });
  }

  /** In the transaction that records their ends. */
  async remove(tx: Tx, enforcements: string[]): Promise<void> {
    for (const enforcement of enforcements) this.renewedAt.delete(enforcement);
    await removeExecutions(tx, enforcements);
  }

  /** Says for all open runs, but for those that are `stuck`, that somebody will carry them out. */
  async renewLocks(leaseMs: number, stuck: string[] = []): Promise<void> {
    await renewLocksOfOpen(this.db, leaseMs, stuck);
    await renewExecutingRounds(this.db, leaseMs, stuck);
  }

  /** Takes back what a dead process held; only for a process that knows it is the only one. */
  takeOverAll(): Promise<void> {
    return takeOverAll(this.db);
  }
}
