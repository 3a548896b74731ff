import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { eventsOfPass, layBlocks, stopLaying } from '#event-store';
import { LOG, RepeatedWarning } from '#platform';
import type { Worker } from '#runtime';
import { SendCheckpoints } from './send-checkpoints.js';

/** Events of this time are not in the chain yet, and could still be changed unnoticed. */
const everyMs = 2000;

/** Lays the hash chains over the log, and signs how far they are. Of several consoles one does. docs/how-to/verify.md */
@Injectable()
export class LayChain implements Worker {
  private readonly by = randomUUID();
  private readonly failed: RepeatedWarning;
  private timer: NodeJS.Timeout | undefined;
  private laying: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly checkpoints: SendCheckpoints,
    @Inject(LOG) log: Logger,
  ) {
    this.failed = new RepeatedWarning(log, 'Could not lay the hash chains over the log; retrying.');
  }

  async start(): Promise<void> {
    this.timer = setInterval(() => {
      this.laying ??= this.lay()
        .catch((error: unknown) => this.failed.warn(error))
        .finally(() => {
          this.laying = undefined;
        });
    }, everyMs);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.laying;
    await stopLaying(this.db, this.by).catch(() => {});
  }

  /** Up to what is settled now. */
  async lay(): Promise<void> {
    let events: number | undefined = eventsOfPass;
    while (events === eventsOfPass && !this.stopping) events = await layBlocks(this.db, this.by);
    if (events !== undefined) await this.checkpoints.sendIfDue();
  }
}
