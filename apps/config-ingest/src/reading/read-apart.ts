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
/** To start a thread takes longer than to read ten thousand queues, so it is kept for some time without work. */
const keptMs = 30_000;
const threadLimits = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 2048 };

/**
 * Reads configurations without holding up the process: the largest one takes seconds, in which no timer would ring and no
 * victim be looked at. Long ones are read in a thread, one at a time, for each takes some hundred megabytes.
 */
@Injectable()
export class ReadApart {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();
  private thread: Worker | undefined;
  private unused: NodeJS.Timeout | undefined;

  /**
   * @param length of the input as text
   * @throws ProblemException 503 if too many long ones wait already.
   */
  async read(reading: Reading, length: number): Promise<ConfigurationResult> {
    if (length <= shortCharacters || !program) return readConfiguration(reading.input, reading.options);
    if (this.waiting >= mostWaiting) throw busy();
    this.waiting++;
    const result = this.last.then(() => this.readInThread(reading, program));
    this.last = result.catch(() => {});
    return result.finally(() => {
      this.waiting--;
    });
  }

  private async readInThread(reading: Reading, file: URL): Promise<ConfigurationResult> {
    clearTimeout(this.unused);
    this.thread ??= this.startThread(file);
    const { thread } = this;
    thread.ref();
    try {
      const answered = once(thread, 'message');
      thread.postMessage(reading);
      const [result] = await answered;
      return result as ConfigurationResult;
    } catch (error) {
      await this.endThread();
      throw error;
    } finally {
      // What is not used must not keep the process.
      thread.unref();
      this.unused = setTimeout(() => void this.endThread(), keptMs).unref();
    }
  }

  private startThread(file: URL): Worker {
    const thread = new Worker(file, { resourceLimits: threadLimits });
    // Whoever waits for an answer hears of it.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = undefined;
      thread.emit('error', new Error('the thread that reads configurations has ended'));
    });
    return thread;
  }

  private async endThread(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.terminate();
  }
}

/** Absent where the sources themselves run, as in tests: they have no program that a thread could load. */
const program = import.meta.url.endsWith('.js') ? new URL('./reading-thread.js', import.meta.url) : undefined;

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
