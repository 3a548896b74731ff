import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, type QueueUsage } from '#clusters';
import type { Resources } from '#contracts';
import { coveringStop } from '#enforcement';
import { databaseTime } from '#event-store';
import { holdsIn } from '#holds';
import { dropVictimsOf, touchRuns } from '#runs';
import { newEnforcement } from './clocks/clock-event.js';
import { ClockSession } from './clocks/clock-session.js';
import { type OverdueRun, overdueRuns, partitionsWithOverdue, stillOver } from './clocks/clock-statements.js';
import { usageAndSize } from './clocks/cluster-size.js';
import { TIMER_SETTINGS, type TimerSettings } from './settings/timer-settings.js';
import { WakeUps } from './wake-ups/wake-ups.js';

/** The numbers of runs read at once, and given up in one transaction: the turn in the partition is short. */
const readAtOnce = 2000;
const endedAtOnce = 250;

/**
 * Gives up runs whose executor has not renewed their lease, which invalidates their token.
 *
 * A lease may have expired because the clock jumped ahead, or because machine and executor were both suspended. So a
 * run is given up only when its lease stays unrenewed for half its length more, counted while this process watches.
 */
@Injectable()
export class EndLeases {
  /** By partition and enforcement: when its lease was first seen expired, by a monotonic clock. */
  private readonly overSince = new Map<string, Map<string, number>>();

  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    private readonly wakeUps: WakeUps,
  ) {}

  /** The partitions with runs whose lease has expired. */
  async partitions(): Promise<string[]> {
    const found = await partitionsWithOverdue(this.db);
    for (const partition of this.overSince.keys())
      if (!found.includes(partition)) this.overSince.delete(partition);
    return found;
  }

  /** Gives up all runs that are due. One that cannot be given up does not delay the others. @throws the last error. */
  async sweep(partition: string): Promise<void> {
    const due = await this.due(partition);
    let failure: unknown;
    for (let from = 0; from < due.length; from += endedAtOnce) {
      failure = (await this.end(partition, due.slice(from, from + endedAtOnce))) ?? failure;
    }
    if (failure) throw failure;
  }

  private async due(partition: string): Promise<OverdueRun[]> {
    const due: OverdueRun[] = [];
    const now = performance.now();
    const before = this.overSince.get(partition);
    const since = new Map<string, number>();
    for (let after = ''; ; ) {
      const over = await overdueRuns(this.db, { partition, after, limit: readAtOnce });
      for (const run of over) {
        const overSince = before?.get(run.enforcement) ?? now;
        since.set(run.enforcement, overSince);
        if (now - overSince >= this.settings.leaseMs / 2) due.push(run);
      }
      after = over.at(-1)?.queue ?? after;
      if (over.length < readAtOnce) break;
    }
    this.overSince.set(partition, since);
    return due;
  }

  /** @returns why one of them could not be given up. @throws if the cluster is unreachable. */
  private async end(partition: string, runs: OverdueRun[]): Promise<unknown> {
    const queues = runs.map(({ queue }) => queue);
    const { usage, clusterSize } = await usageAndSize(this.db, this.cluster, partition, queues);
    const endThese = (these: OverdueRun[]) => this.endTogether(partition, these, usage, clusterSize);
    try {
      await endThese(runs);
      return undefined;
    } catch (error) {
      if (runs.length === 1) return error;
    }
    // One of them failed, or was changed meanwhile; each is retried alone.
    let failure: unknown;
    for (const run of runs) {
      await endThese([run]).catch((error: unknown) => {
        failure = error;
      });
    }
    return failure;
  }

  private async endTogether(
    partition: string,
    runs: OverdueRun[],
    used: ReadonlyMap<string, QueueUsage>,
    clusterSize: Resources,
  ): Promise<void> {
    const wakeUps = await this.db.transaction(async (tx) => {
      const session = await ClockSession.withTurn(tx, partition, this.settings.leaseMs);
      const over = await stillOver(tx, partition, runs);
      if (over.length === 0) return [];
      const { enabled, stops } = await holdsIn(tx, partition);
      await session.load(over.map(({ queue }) => ({ partition, queue })));
      const at = (await databaseTime(tx)).toISOString();
      for (const { queue, enforcement } of over) {
        const { usage = {}, inFlight = {} } = used.get(queue) ?? {};
        session.decide(partition, queue, {
          kind: 'end-run',
          at,
          enforcement,
          cause: 'lease-ended',
          afterRun: this.settings.policy.afterRun,
          usage,
          inFlight,
          clusterSize,
          enabled,
          stop: coveringStop(queue, stops),
          newEnforcement: newEnforcement(),
        });
      }
      await dropVictimsOf(
        tx,
        over.map(({ enforcement }) => enforcement),
      );
      const saved = await session.save(over.map(({ queue }) => ({ partition, queue })));
      // A run that waits and has lost its lock ends now, not at its deadline.
      await touchRuns(tx, { enforcements: over.map(({ enforcement }) => enforcement) });
      return saved.wakeUps;
    });
    this.wakeUps.arm(wakeUps);
    this.wakeUps.check(partition);
  }
}
