import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { type CreateFetchManager, type FetchOptions, stoppable } from './stopped-fetches.js';

interface Options extends FetchOptions {
  getNodeIds(): string[];
  logger: object;
  handler(): Promise<void>;
}
const patched = createRequire(import.meta.url)('kafkajs/src/consumer/fetchManager.js');
const kafkajs = patched as CreateFetchManager<Options>;
const logger = { namespace: () => logger, debug: () => {}, info: () => {} };

/** A consumer that is stopped just when it makes new fetchers, because a broker has gone. @returns its last requests, made after the stop. */
async function stopWhileBrokersChange(create: (options: Options) => ReturnType<CreateFetchManager<Options>>) {
  let brokers = ['1', '2'];
  let later = 0;
  let stopped: Promise<void> | undefined;
  const manager = create({
    logger,
    getNodeIds: () => {
      // The old fetchers have ended by now: these are asked for to make the new ones.
      if (brokers.length === 1 && !stopped) stopped = manager.stop();
      return brokers;
    },
    handler: async () => {},
    fetch: async () => {
      await new Promise(setImmediate);
      // As a runner answers that is stopped.
      if (stopped && ++later > 1000) throw new Error('asks without end');
      brokers = ['1'];
      return [];
    },
  });
  await manager.start();
  await stopped;
  return later;
}

describe('a consumer that is stopped while it makes new fetchers', () => {
  it('asks for nothing any more', async () => {
    expect(await stopWhileBrokersChange((options) => stoppable(kafkajs, options))).toBeLessThanOrEqual(2);
  });

  it('asks without end with kafkajs alone', async () => {
    await expect(stopWhileBrokersChange(kafkajs)).rejects.toThrow('asks without end');
  });
});

it('ends with the errors of its requests, and can start again', async () => {
  const answers = [new Error('lost'), undefined];
  const manager = stoppable(kafkajs, {
    logger,
    getNodeIds: () => ['1'],
    handler: async () => {},
    fetch: async () => {
      const error = answers.shift();
      if (error) throw error;
      void manager.stop();
      return [];
    },
  });
  await expect(manager.start()).rejects.toThrow('lost');
  await manager.stop();
  await manager.start();
  expect(answers).toEqual([]);
});
