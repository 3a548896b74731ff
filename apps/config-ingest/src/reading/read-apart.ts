import type { ConfigurationResult, QueueText } from '@curtail/configuration';
import { builtProgram, OneAtATime, Thread } from '@curtail/platform';
import { Injectable } from '@nestjs/common';
import {
  type AnyRead,
  type AnyReading,
  type EntryRead,
  type EntryReading,
  type QueueReading,
  type Reading,
  readAny,
} from './reading.js';

/** Below this length, reading takes some ten milliseconds, less than starting a thread. */
const shortCharacters = 32 * 1024;
const mostWaiting = 8;
/**
 * From this length on, a thread ends with its answer: such a configuration leaves hundreds of megabytes of garbage, which an idle
 * thread does not collect. Starting another thread takes a fraction of the time of the next reading.
 */
const longCharacters = 4 * 1024 * 1024;
/** A compressed configuration may be as long as any, whatever the length of its text. */
const packed = /\.gz["']?\s*:/i;
const lengthOf = (text: string): number =>
  packed.test(text) ? Math.max(text.length, longCharacters) : text.length;
const threadLimits = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 2048 };

const program = builtProgram('reading-thread', import.meta.url);

/**
 * Reads configurations while the process stays responsive: the largest one takes seconds, during which no timer would fire and no
 * victim would be checked. Long ones are read in a thread, one at a time, since each takes some hundred megabytes.
 *
 * Each method throws ProblemException 503 if too many long ones are already waiting.
 */
@Injectable()
export class ReadApart {
  private readonly turns = new OneAtATime('large configurations', mostWaiting);
  private readonly thread = program && new Thread<AnyReading, AnyRead>(program, threadLimits);

  /** @param body the input as text */
  async read(reading: Reading, body: string): Promise<ConfigurationResult> {
    return (await this.answer({ kind: 'whole', ...reading }, lengthOf(body))) as ConfigurationResult;
  }

  /** The entry of a queue; undefined if it has none. */
  async queue(reading: QueueReading): Promise<QueueText | undefined> {
    const length = lengthOf(reading.configuration);
    return (await this.answer({ kind: 'queue', ...reading }, length)) as QueueText | undefined;
  }

  /** The configuration with another entry for a queue. */
  async entry(reading: EntryReading): Promise<EntryRead> {
    const length = lengthOf(reading.configuration) + reading.sent.length;
    return (await this.answer({ kind: 'entry', ...reading }, length)) as EntryRead;
  }

  private async answer(reading: AnyReading, length: number): Promise<AnyRead> {
    const { thread } = this;
    if (length <= shortCharacters || !thread) return readAny(reading);
    return this.turns.run(async () => {
      const answer = await thread.ask(reading);
      if (length >= longCharacters) void thread.end();
      return answer;
    });
  }
}
