import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { StoredEvent, Tx } from '#event-store';
import { renewExecutingRounds } from '#rounds';
import {
  addCrashingRun,
  addRuns,
  anyOpen,
  type Claim,
  claimRuns,
  type HeldRun,
  keepHold,
  mostDeaths,
  type NewRun,
  releaseRun,
  removeRuns,
  renewLocksOfOpen,
  takeOverAll,
  touchRuns,
} from '#runs';

const holdMs = 15_000;
/** The interval for a run whose step takes long. */
export const renewHoldEveryMs = holdMs / 3;
/** A hold that was renewed this recently cannot have been lost: the database is not queried. */
const surelyHeldMs = holdMs / 3;

/**
 * The open runs, as work to be done: each has the time of its next step, and at most one process holds it. A process
 * that crashes loses its hold when the hold expires; the run then continues from its stream.
 */
@Injectable()
export class OpenRuns {
  /** Names this process as the holder of runs. */
  readonly owner = randomUUID();
  /** The times of the last requests for holds, by a monotonic clock. */
  private readonly renewedAt = new Map<string, number>();

  constructor(private readonly db: DataSource) {}

  /**
   * Adds runs; their first steps are due at once.
   *
   * @param options.hold whether this process carries them out as soon as the transaction has committed: a claim would cost another commit.
   * @returns the runs that it holds then.
   */
  async add(tx: Tx, runs: NewRun[], { hold = false } = {}): Promise<HeldRun[]> {
    const asked = performance.now();
    const held = await addRuns(tx, runs, hold ? { owner: this.owner, holdMs } : undefined);
    for (const { enforcement } of held) this.renewedAt.set(enforcement, asked);
    return held;
  }

  /** Adds the run of a plan that crashes processes when they read it. Its first step ends it, without loading it. */
  addGivenUp(tx: Tx, planComputed: Pick<StoredEvent, 'id'>): Promise<void> {
    return addCrashingRun(tx, planComputed.id, mostDeaths);
  }

  /**
   * Whether any of these runs may wait for an event. One that is added meanwhile does not: its first step is due at once, and reads what
   * the event has changed.
   */
  mayWait(which: readonly Parameters<typeof touchRuns>[1][]): Promise<boolean> {
    return anyOpen(this.db, {
      partitions: which.flatMap((one) => ('partition' in one ? [one.partition] : [])),
      enforcements: which.flatMap((one) => ('enforcements' in one ? one.enforcements : [])),
    });
  }

  /** Schedules the next step of runs that may wait for an event. A run that is held is checked again when it is released. */
  touch(tx: Tx, which: Parameters<typeof touchRuns>[1]): Promise<void> {
    return touchRuns(tx, which);
  }

  /**
   * Claims runs whose next step is due, or whose holder has crashed.
   *
   * A process that crashes loses all runs that it holds, and which run crashed it is unknown. So the loss counts for
   * all of them that have recorded nothing, and a process carries out only one of those at a time.
   *
   * @param carried the runs that this process carries out now and must not claim a second time, however long a step
   * takes. Other runs that it holds were lost while the database was away: it takes them back at once, not when the
   * hold expires.
   * @param mayTakeSuspect whether one run that has crashed processes may be among them: the one with the most crashes.
   */
  async claim(limit: number, carried: string[], mayTakeSuspect = true): Promise<Claim> {
    const asked = performance.now();
    const { owner } = this;
    const claim = await claimRuns(this.db, { owner, holdMs, carried, mayTakeSuspect }, limit);
    for (const { enforcement } of claim.runs) this.renewedAt.set(enforcement, asked);
    return claim;
  }

  /** @returns false if the hold was lost: another process has the run, and this one must not touch it any more. */
  async keepHold(enforcement: string): Promise<boolean> {
    const asked = performance.now();
    if (asked - (this.renewedAt.get(enforcement) ?? -Infinity) < surelyHeldMs) return true;
    const kept = await keepHold(this.db, enforcement, { owner: this.owner, holdMs });
    if (kept) this.renewedAt.set(enforcement, asked);
    else this.renewedAt.delete(enforcement);
    return kept;
  }

  /** The hold turned out to be lost: the next check of it queries the database. */
  doubtHold(enforcement: string): void {
    this.renewedAt.delete(enforcement);
  }

  /**
   * Releases a run until its next step, or until it is touched. Takes a duration because the clock of the database may
   * differ.
   *
   * @param options.forgetDeaths this process has carried out a step and survived.
   */
  async release(
    enforcement: string,
    untilNextStepMs: number,
    { forgetDeaths }: { forgetDeaths: boolean },
  ): Promise<void> {
    this.renewedAt.delete(enforcement);
    await releaseRun(this.db, enforcement, { owner: this.owner, untilNextStepMs, forgetDeaths });
  }

  /** In the transaction that records their ends. */
  async remove(tx: Tx, enforcements: string[]): Promise<void> {
    for (const enforcement of enforcements) this.renewedAt.delete(enforcement);
    await removeRuns(tx, enforcements);
  }

  /** Removes a run whose end was on record before. */
  removeEnded(enforcement: string): Promise<void> {
    return this.db.transaction((tx) => this.remove(tx, [enforcement]));
  }

  /** Renews the locks of all open runs except those that are `stuck`. */
  async renewLocks(leaseMs: number, stuck: string[] = []): Promise<void> {
    await renewLocksOfOpen(this.db, leaseMs, stuck);
    await renewExecutingRounds(this.db, leaseMs, stuck);
  }

  /** Takes over all runs that crashed processes held; only for a process that knows it is the only one. */
  takeOverAll(): Promise<void> {
    return takeOverAll(this.db);
  }
}
