import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ground } from './servers.js';

const hook = join(process.cwd(), 'test/support/held-partitions.mjs');

/** One Kafka partition that is left unread while all others flow, by the services that were started with `environment`. */
export function heldPartitions({ topicPrefix }: Pick<Ground, 'topicPrefix'>) {
  const file = join(tmpdir(), `curtail-held-${topicPrefix}${process.pid}`);
  return {
    environment: { NODE_OPTIONS: `--import=${hook}`, CURTAIL_TEST_HELD: file },
    hold: (topic: string, partition: number) => writeFile(file, `${topicPrefix}${topic}/${partition}\n`),
    release: () => rm(file, { force: true }),
  };
}
