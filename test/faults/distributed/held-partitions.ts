import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ground } from './servers.js';

const hook = join(process.cwd(), 'test/support/held-partitions.mjs');

/** Kafka partitions that services leave unread while all others flow: those services that were started with `environment`. */
export class HeldPartitions {
  readonly environment: Record<string, string>;
  private readonly file: string;

  constructor(private readonly ground: Pick<Ground, 'topicPrefix'>) {
    this.file = join(tmpdir(), `curtail-held-${ground.topicPrefix}${process.pid}`);
    this.environment = { NODE_OPTIONS: `--import=${hook}`, CURTAIL_TEST_HELD: this.file };
  }

  async hold(topic: string, partition: number): Promise<void> {
    await writeFile(this.file, `${this.ground.topicPrefix}${topic}/${partition}\n`);
  }

  async letGo(): Promise<void> {
    await rm(this.file, { force: true });
  }
}
