import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { clockKind } from '#contracts';
import { coveringStop } from '#enforcement';
import { databaseTime } from '#event-store';
import { heldBy, holdsIn } from '#holds';
import { leaseLocks } from '#runs';
import { clearLeftOver, resumeUnheld, setMissingTimers, suspendedQueues } from '#timers';
import { ClockSession } from '../clocks/clock-session.js';
import { TIMER_SETTINGS, type TimerSettings } from '../settings/timer-settings.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { frozenQueues, queuesWithNewShare } from './reconcile-statements.js';

/** Suspended clocks that are checked in one transaction. */
const pageSize = 5000;

/**
 * Brings timers, suspensions and leases of a partition in line with the clocks and the switches. Each is written with
 * the clock, so a difference means that rows were lost or changed by hand, or that the end of a hold never arrived.
 */
@Injectable()
export class CheckClocks {
  constructor(
    private readonly db: DataSource,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    private readonly wakeUps: WakeUps,
  ) {}

  /** @returns how many timers were written or removed. */
  async timers(partition: string): Promise<number> {
    const set = await setMissingTimers(this.db, clockKind, partition);
    const resumed = await resumeUnheld(this.db, clockKind, partition);
    const cleared = await clearLeftOver(this.db, clockKind, partition);
    return set + resumed + cleared;
  }

  /** Resumes suspended clocks without a hold. @returns how many there were. */
  async suspensions(partition: string): Promise<number> {
    let resumed = 0;
    for (let after = ''; ; ) {
      const page = await suspendedQueues(this.db, clockKind, { partition, after, limit: pageSize });
      if (page.length > 0) resumed += await this.resume(partition, page);
      if (page.length < pageSize) return resumed;
      after = page.at(-1)!;
    }
  }

  private async resume(partition: string, suspended: readonly string[]): Promise<number> {
    const { resumed, wakeUps } = await this.db.transaction(async (tx) => {
      const session = new ClockSession(tx, this.settings.leaseMs);
      const [, holds] = await Promise.all([
        session.load(suspended.map((queue) => ({ partition, queue }))),
        holdsIn(tx, partition),
      ]);
      const { enabled, stops } = holds;
      const free = enabled ? suspended.filter((queue) => !coveringStop(queue, stops)) : [];
      const at = (await databaseTime(tx)).toISOString();
      const going = free.filter((queue) =>
        session.state(partition, queue).pending?.suspended
          ? session.decide(partition, queue, { kind: 'turn-switch', at, on: true }).length > 0
          : false,
      );
      return { resumed: going.length, ...(await session.save()) };
    });
    this.wakeUps.arm(wakeUps);
    return resumed;
  }

  /** Makes clocks due that wait for the end of a freeze that no longer holds. @returns how many there were. */
  async freezes(partition: string): Promise<number> {
    let due = 0;
    for (let after = ''; ; ) {
      const page = await frozenQueues(this.db, { partition, after, limit: pageSize });
      if (page.length > 0) due += await this.reviewFreezes(partition, page);
      if (page.length < pageSize) return due;
      after = page.at(-1)!;
    }
  }

  private async reviewFreezes(partition: string, waiting: readonly string[]): Promise<number> {
    const { due, wakeUps } = await this.db.transaction(async (tx) => {
      const session = new ClockSession(tx, this.settings.leaseMs);
      const [, holds] = await Promise.all([
        session.load(waiting.map((queue) => ({ partition, queue }))),
        holdsIn(tx, partition),
      ]);
      const now = await databaseTime(tx);
      const earlier = waiting.filter((queue) => {
        const { frozen } = heldBy(queue, holds, now.getTime());
        const events = session.decide(partition, queue, {
          kind: 'review-freeze',
          at: now.toISOString(),
          frozen,
        });
        return events.length > 0;
      });
      return { due: earlier.length, ...(await session.save()) };
    });
    this.wakeUps.arm(wakeUps);
    return due;
  }

  /**
   * Notes the share of the cluster that is the limit in force in clocks that have another one, or only the amounts of the save. A clock
   * with a pending change is skipped. @returns how many there were.
   */
  async shares(partition: string): Promise<number> {
    const behind = await queuesWithNewShare(this.db, partition, pageSize);
    if (behind.length === 0) return 0;
    await this.db.transaction(async (tx) => {
      const session = new ClockSession(tx, this.settings.leaseMs);
      await session.load(behind.map(({ queue }) => ({ partition, queue })));
      const at = (await databaseTime(tx)).toISOString();
      for (const { queue, maxShare } of behind)
        session.decide(partition, queue, { kind: 'note-share', at, maxShare });
      await session.save();
    });
    return behind.length;
  }

  /** Gives leases to locks without one, which would never be released. @returns how many there were. */
  leases(partition: string): Promise<number> {
    return leaseLocks(this.db, partition, this.settings.leaseMs);
  }
}
