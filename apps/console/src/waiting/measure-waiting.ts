import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import { waitingForApproval } from '#contracts';
import { LOG, Metrics, RepeatedWarning } from '#platform';
import { READER_DATABASE, Sampler, type Worker } from '#runtime';
import { INSTALLATION_SETTINGS, type InstallationSettings } from '../settings/effective-settings.js';
import { ceilingUse } from './ceiling-use.js';
import { Waiting } from './waiting.js';

const everyMs = 15_000;

/** Keeps the gauges of clocks and runs that wait, and of ceilings: of all partitions, whichever process folded their events. */
@Injectable()
export class MeasureWaiting implements Worker {
  private readonly sampler: Sampler;

  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly waiting: Waiting,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(INSTALLATION_SETTINGS) private readonly installation: InstallationSettings,
    private readonly metrics: Metrics,
    @Inject(LOG) log: Logger,
  ) {
    const failed = new RepeatedWarning(
      log,
      'Could not count the clocks and runs that wait, or the use of ceilings; their gauges keep their last values.',
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
    const rows = await this.db.query<{ partition: string; runs: number }[]>(
      `SELECT partition, count(*)::int AS runs FROM read_runs
       WHERE outcome IS NULL AND state = '${waitingForApproval}' GROUP BY partition`,
    );
    this.metrics.waiting.runsAwaitApproval(new Map(rows.map(({ partition, runs }) => [partition, runs])));
    this.metrics.waiting.waits(await this.waiting.counts());
    this.metrics.waiting.ceilingsUsed(await ceilingUse(this.db, this.cluster, this.installation));
  }
}
