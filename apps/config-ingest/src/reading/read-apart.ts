import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type ConfigurationOptions, type ConfigurationResult, readConfiguration } from '@curtail/contracts';
import { ProblemException } from '@curtail/platform';
import { Injectable } from '@nestjs/common';

/** What a configuration is read from; a copy of it goes to the thread. */
export interface Reading {
  input: string | { json: unknown };
  options: ConfigurationOptions;
}

/** Below it, reading takes some ten milliseconds, and less than to start a thread. */
const shortCharacters = 32 * 1024;
const mostWaiting = 8;
const threadLimits = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 2048 };

/**
 * Reads configurations without holding up the process: the largest one takes seconds, in which no timer would ring and no
 * victim be looked at. Long ones are read in a thread, one at a time, for each takes some hundred megabytes.
 */
@Injectable()
export class ReadApart {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();

  /**
   * @param length of the input as text
   * @throws ProblemException 503 if too many long ones wait already.
   */
  async read(reading: Reading, length: number): Promise<ConfigurationResult> {
    if (length <= shortCharacters || !program) return readConfiguration(reading.input, reading.options);
    if (this.waiting >= mostWaiting) throw busy();
    this.waiting++;
    const result = this.last.then(() => readInThread(reading, program));
    this.last = result.catch(() => {});
    return result.finally(() => {
      this.waiting--;
    });
  }
}

/** Absent where the sources themselves run, as in tests: they have no program that a thread could load. */
const program = import.meta.url.endsWith('.js') ? new URL('./reading-thread.js', import.meta.url) : undefined;

async function readInThread(reading: Reading, file: URL): Promise<ConfigurationResult> {
  const thread = new Worker(file, { workerData: reading, resourceLimits: threadLimits });
  try {
    const [result] = await once(thread, 'message');
    return result as ConfigurationResult;
  } finally {
    await thread.terminate();
  }
}

function busy(): ProblemException {
  return new ProblemException(
    {
      code: 'busy',
      title: 'Too many large configurations at once',
      status: 503,
      detail: `${mostWaiting} large configurations are being read or wait for it.`,
      remedy: 'Send it again in some seconds.',
      retryAfterSeconds: 5,
    },
    { 'Retry-After': '5' },
  );
}
