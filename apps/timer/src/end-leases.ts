import { CLUSTER_READER, type ClusterReader } from '@curtail/clusters';
import { catalog } from '@curtail/contracts';
import { coveringStop } from '@curtail/enforcement';
import { databaseTime, executionStream, StreamConflict, type Tx } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bell } from './bell.js';
import { letGoOn } from './let-go-on.js';
import { newEnforcement } from './new-enforcement.js';
import { holdsOf, ScheduleSession } from './schedule-session.js';
import { TIMER_SETTINGS, type TimerSettings } from './timer-settings.js';

/**
 * Its end is on record, and on its way here: it did not die. $1 begins the names of the streams of runs, $2 is the type. The end is
 * the last event of a run, of which there may be very many.
 */
const HAS_ENDED = `
  coalesce((SELECT e.type = $2 FROM events e WHERE e.stream = $1 || running_enforcement ORDER BY version DESC LIMIT 1), false)`;

interface Run {
  partition: string;
  queue: string;
  enforcement: string;
}

/** Runs that are read at once, and those that are given up in one transaction: the turn in the partition is not held for long. */
const readAtOnce = 2000;
const endedAtOnce = 250;

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

  /**
   * Gives up all of them that are due, partition by partition. What fails in one leaves the others alone.
   *
   * @throws the first failure, when all is done: what is left comes with the next sweep.
   */
  async sweep(): Promise<void> {
    const failures: unknown[] = [];
    for (const [partition, runs] of await this.dueByPartition()) {
      try {
        for (let from = 0; from < runs.length; from += endedAtOnce) {
          await this.end(partition, runs.slice(from, from + endedAtOnce));
        }
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  private async dueByPartition(): Promise<Map<string, Run[]>> {
    const due = new Map<string, Run[]>();
    const now = performance.now();
    const seen = new Set<string>();
    for (let after: Run | undefined; ; ) {
      const over = await this.over(after);
      for (const run of over) {
        seen.add(run.enforcement);
        const since = this.overSince.get(run.enforcement) ?? now;
        this.overSince.set(run.enforcement, since);
        if (now - since < this.settings.leaseMs / 2) continue;
        const runs = due.get(run.partition) ?? [];
        due.set(run.partition, runs);
        runs.push(run);
      }
      after = over.at(-1);
      if (over.length < readAtOnce) break;
    }
    for (const enforcement of this.overSince.keys()) {
      if (!seen.has(enforcement)) this.overSince.delete(enforcement);
    }
    return due;
  }

  private over(after: Run | undefined): Promise<Run[]> {
    return this.db.query(
      `SELECT partition, queue, running_enforcement AS enforcement FROM schedules
       WHERE running_enforcement IS NOT NULL AND lease_until < now() AND NOT ${HAS_ENDED}
         AND ($3::text IS NULL OR (partition, queue) > ($3, $4::text))
       ORDER BY partition, queue LIMIT $5`,
      [
        executionStream(''),
        catalog.EnforcementEnded.type,
        after?.partition ?? null,
        after?.queue ?? null,
        readAtOnce,
      ],
    );
  }

  private async end(partition: string, runs: Run[]): Promise<void> {
    try {
      await this.endTogether(partition, runs);
    } catch (error) {
      // One of the clocks was changed meanwhile; which, each finds out alone.
      if (!(error instanceof StreamConflict) || runs.length === 1) throw error;
      for (const run of runs) await this.end(partition, [run]);
    }
  }

  private async endTogether(partition: string, runs: Run[]): Promise<void> {
    const used = await this.cluster.usage(
      partition,
      runs.map(({ queue }) => queue),
    );
    const rings = await this.db.transaction(async (tx) => {
      const session = await ScheduleSession.withTurn(tx, partition, this.settings.leaseMs);
      const over = await stillOver(tx, partition, runs);
      if (over.length === 0) return [];
      const { enabled, stops } = (await holdsOf(tx, [partition])).get(partition)!;
      await session.load(over);
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
          enabled,
          stop: coveringStop(queue, stops),
          newEnforcement: newEnforcement(),
        });
      }
      await tx.query('DELETE FROM planned_victims WHERE enforcement = ANY ($1)', [
        over.map(({ enforcement }) => enforcement),
      ]);
      const saved = await session.save();
      await letGoOn(tx, over);
      return saved;
    });
    this.bell.arm(rings);
    this.bell.look(partition);
  }
}

/** Those that nobody has renewed or ended since they were looked at. */
async function stillOver(tx: Tx, partition: string, runs: readonly Run[]): Promise<Run[]> {
  const rows: { enforcement: string }[] = await tx.query(
    `SELECT running_enforcement AS enforcement FROM schedules
     WHERE partition = $3 AND queue = ANY ($4::text[]) AND running_enforcement = ANY ($5::text[])
       AND lease_until < now() AND NOT ${HAS_ENDED}`,
    [
      executionStream(''),
      catalog.EnforcementEnded.type,
      partition,
      runs.map(({ queue }) => queue),
      runs.map(({ enforcement }) => enforcement),
    ],
  );
  const over = new Set(rows.map(({ enforcement }) => enforcement));
  return runs.filter(({ enforcement }) => over.has(enforcement));
}
