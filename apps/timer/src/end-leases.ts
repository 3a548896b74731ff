import { CLUSTER_READER, type ClusterReader } from '@curtail/clusters';
import { catalog } from '@curtail/contracts';
import { coveringStop } from '@curtail/enforcement';
import { databaseTime, executionStream } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bell } from './bell.js';
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
  /** By enforcement: since when its lease was seen to be over, by a clock that only goes forward. */
  private readonly overSince = new Map<string, number>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(Bell) private readonly bell: Bell,
  ) {}

  async sweep(): Promise<void> {
    const over: { partition: string; queue: string; enforcement: string }[] = await this.db.query(
      `SELECT partition, queue, running_enforcement AS enforcement FROM schedules
       WHERE running_enforcement IS NOT NULL AND lease_until < now() AND NOT ${HAS_ENDED}
       ORDER BY lease_until LIMIT 100`,
      [executionStream(''), catalog.EnforcementEnded.type],
    );
    const now = performance.now();
    for (const enforcement of this.overSince.keys()) {
      if (!over.some((run) => run.enforcement === enforcement)) this.overSince.delete(enforcement);
    }
    for (const run of over) {
      const since = this.overSince.get(run.enforcement) ?? now;
      this.overSince.set(run.enforcement, since);
      if (now - since >= this.settings.leaseMs / 2) await this.end(run);
    }
  }

  private async end(run: { partition: string; queue: string; enforcement: string }): Promise<void> {
    const { partition, queue, enforcement } = run;
    const usage = (await this.cluster.usage(partition, [queue])).get(queue);
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
