import { LOG, Metrics, RepeatedWarning } from '@curtail/platform';
import { READER_DATABASE, Sampler, type Worker } from '@curtail/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';

const everyMs = 15_000;

/** Keeps the gauge of runs that wait for approval: of all partitions, whichever process folded their events. */
@Injectable()
export class MeasureApprovals implements Worker {
  private readonly sampler: Sampler;

  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    const failed = new RepeatedWarning(
      log,
      'Could not count the runs that wait for approval; their gauge keeps its last values.',
    );
    this.sampler = new Sampler(everyMs, () => this.measure(), failed);
  }

  async start(): Promise<void> {
    this.sampler.start();
  }

  stop(): Promise<void> {
    return this.sampler.stop();
  }

  async measure(): Promise<void> {
    const rows: { partition: string; runs: number }[] = await this.db.query(
      `SELECT partition, count(*)::int AS runs FROM read_enforcements
       WHERE outcome IS NULL AND state = 'waiting for approval' GROUP BY partition`,
    );
    this.metrics.runsAwaitApproval(new Map(rows.map(({ partition, runs }) => [partition, runs])));
  }
}
