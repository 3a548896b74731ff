import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { LOG, RepeatedWarning } from '#platform';
import { Sampler, type Worker } from '#runtime';
import { addMissing, runsWithMissing } from './missing-victims.js';

/** How often it looks for what another process has left behind. */
const everyMs = 15_000;

/** Adds the victims of large plans to the read model, beside its consumer. */
@Injectable()
export class AddMissingVictims implements Worker {
  private readonly sampler: Sampler;
  private adding: Promise<void> | undefined;
  private isWanted = false;
  private isStopping = false;

  constructor(
    private readonly db: DataSource,
    @Inject(LOG) log: Logger,
  ) {
    const failed = new RepeatedWarning(log, 'Could not add victims to what is shown of runs; retrying.');
    this.sampler = new Sampler(everyMs, () => this.add(), failed);
  }

  async start(): Promise<void> {
    this.sampler.start();
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.sampler.stop();
    await this.adding?.catch(() => {});
  }

  /** Begins with what is missing now. After a failure the next look continues. */
  soon(): void {
    this.add().catch(() => {});
  }

  private add(): Promise<void> {
    this.isWanted = true;
    this.adding ??= this.addAll().finally(() => {
      this.adding = undefined;
    });
    return this.adding;
  }

  private async addAll(): Promise<void> {
    while (this.isWanted && !this.isStopping) {
      this.isWanted = false;
      for (const enforcement of await runsWithMissing(this.db)) {
        await addMissing(this.db, enforcement, () => !this.isStopping);
      }
    }
  }
}
