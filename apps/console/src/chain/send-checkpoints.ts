import { appendFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { DataSource } from 'typeorm';
import { checkpointAfter, databaseTime, type SignedCheckpoint } from '#event-store';
import { LINE_SENDER, type LineSender } from '#messaging';
import { LOG, RepeatedWarning, type SigningKey } from '#platform';

/** Nest token of where checkpoints go. */
export const CHECKPOINT_PLACE = Symbol('CheckpointPlace');

export interface CheckpointPlace {
  file?: string | undefined;
  topic?: string | undefined;
  everyMinutes: number;
  /** Absent: there are no checkpoints. */
  key?: SigningKey | undefined;
}

/** Signs how far the chains are, at most once in an interval and only if they have grown. */
@Injectable()
export class SendCheckpoints {
  private readonly failed: RepeatedWarning;
  /** Up to which pass each place has checkpoints; after a start, the first one has the ends of all chains. */
  private readonly sent = { file: 0, topic: 0 };
  private dueAt = 0;

  constructor(
    private readonly db: DataSource,
    @Inject(CHECKPOINT_PLACE) private readonly place: CheckpointPlace,
    @Inject(LINE_SENDER) private readonly sendLine: LineSender | null,
    @Inject(LOG) log: Logger,
  ) {
    this.failed = new RepeatedWarning(log, 'Could not write a checkpoint of the log; retrying.');
  }

  async sendIfDue(): Promise<void> {
    if (performance.now() < this.dueAt) return;
    if (await this.send()) this.dueAt = performance.now() + this.place.everyMinutes * 60_000;
  }

  /** @returns whether each place has the end of the chains. */
  async send(): Promise<boolean> {
    const { file, topic, key } = this.place;
    if (key === undefined) return true;
    let all = true;
    const to = async (place: 'file' | 'topic', write: (line: string) => Promise<void>) => {
      try {
        const checkpoint = await checkpointAfter(this.db, this.sent[place], await databaseTime(this.db));
        if (checkpoint === undefined) return;
        const signed: SignedCheckpoint = { checkpoint, ...key.sign(JSON.stringify(checkpoint)) };
        await write(JSON.stringify(signed));
        this.sent[place] = checkpoint.pass;
      } catch (error) {
        all = false;
        this.failed.warn(error, { to: place });
      }
    };
    if (file !== undefined)
      await to('file', (line) => appendFile(file, `${line}\n`, { mode: 0o640, flush: true }));
    if (topic !== undefined && this.sendLine !== null)
      await to('topic', (line) => this.sendLine!(topic, line));
    return all;
  }
}
