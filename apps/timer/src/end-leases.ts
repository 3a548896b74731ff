import { CLUSTER_READER, type ClusterReader } from '@curtail/clusters';
import { catalog } from '@curtail/contracts';
import { coveringStop } from '@curtail/enforcement';
import { databaseTime, executionStream } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bell } from './bell.js';
import { sizeForShares } from './cluster-size.js';
import { letGoOn } from './let-go-on.js';
import { newEnforcement } from './new-enforcement.js';
import { holdsOf, ScheduleSession } from './schedule-session.js';
import { TIMER_SETTINGS, type TimerSettings } from './timer-settings.js';

/** Its end is on record, and on its way here: it did not die. $1 begins the names of the streams of runs, $2 is the type. */
const HAS_ENDED = `EXISTS (SELECT FROM events e WHERE e.stream = $1 || running_enforcement AND e.type = $2)`;

/**
 * Gives up runs whose executor has not renewed their lease: their token is worth nothing from then on.
 *
 * A lease that is over may be so because the clock went ahead, or because machine and executor were both asleep. So it is
 * given up only when it stays unrenewed for half its length more, counted while this process looks.
 */
@Injectable()
export class EndLeases {
  /** By partition and enforcement: since when its lease was seen to be over, by a clock that only goes forward. */
  private readonly overSince = new Map<string, Map<string, number>>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(Bell) private readonly bell: Bell,
  ) {}

  /** Those with runs whose lease is over. */
  async partitions(): Promise<string[]> {
    const rows: { partition: string }[] = await this.db.query(
      `SELECT DISTINCT partition FROM schedules
       WHERE running_enforcement IS NOT NULL AND lease_until < now() AND NOT ${HAS_ENDED} ORDER BY partition`,
      [executionStream(''), catalog.EnforcementEnded.type],
    );
    const found = rows.map(({ partition }) => partition);
    for (const partition of this.overSince.keys())
      if (!found.includes(partition)) this.overSince.delete(partition);
    return found;
  }

  /** One that cannot be given up keeps no other from it. @throws the last error. */
  async sweep(partition: string): Promise<void> {
    const over: { queue: string; enforcement: string }[] = await this.db.query(
      `SELECT queue, running_enforcement AS enforcement FROM schedules
       WHERE partition = $3 AND running_enforcement IS NOT NULL AND lease_until < now() AND NOT ${HAS_ENDED}
       ORDER BY lease_until LIMIT 100`,
      [executionStream(''), catalog.EnforcementEnded.type, partition],
    );
    const now = performance.now();
    const before = this.overSince.get(partition);
    const since = new Map(over.map(({ enforcement }) => [enforcement, before?.get(enforcement) ?? now]));
    this.overSince.set(partition, since);
    let failure: unknown;
    for (const run of over) {
      if (now - since.get(run.enforcement)! < this.settings.leaseMs / 2) continue;
      await this.end({ partition, ...run }).catch((error: unknown) => {
        failure = error;
      });
    }
    if (failure) throw failure;
  }

  private async end(run: { partition: string; queue: string; enforcement: string }): Promise<void> {
    const { partition, queue, enforcement } = run;
    const usage = (await this.cluster.usage(partition, [queue])).get(queue);
    const clusterSize = await sizeForShares(this.db, this.cluster, partition, [queue]);
    const rings = await this.db.transaction(async (tx) => {
      const session = await ScheduleSession.withTurn(tx, partition, this.settings.leaseMs);
      const goesOn: unknown[] = await tx.query(
        `SELECT 1 FROM schedules
         WHERE partition = $3 AND queue = $4 AND running_enforcement = $5 AND (lease_until >= now() OR ${HAS_ENDED})`,
        [executionStream(''), catalog.EnforcementEnded.type, partition, queue, enforcement],
      );
      if (goesOn.length > 0) return [];
      const { enabled, stops } = (await holdsOf(tx, [partition])).get(partition)!;
      await session.load([{ partition, queue }]);
      session.decide(partition, queue, {
        kind: 'end-run',
        at: (await databaseTime(tx)).toISOString(),
        enforcement,
        cause: 'lease-ended',
        afterRun: this.settings.policy.afterRun,
        usage: usage?.usage ?? {},
        inFlight: usage?.inFlight ?? {},
        clusterSize,
        enabled,
        stop: coveringStop(queue, stops),
        newEnforcement: newEnforcement(),
      });
      await tx.query('DELETE FROM planned_victims WHERE enforcement = $1', [enforcement]);
      const saved = await session.save();
      await letGoOn(tx, [{ partition, queue }]);
      return saved;
    });
    this.bell.arm(rings);
    this.bell.look(partition);
  }
}
