import {
  type ConfigurationOptions,
  type ConfigurationResult,
  readConfiguration,
} from '@curtail/configuration';
import { builtProgram, OneAtATime, Thread } from '@curtail/platform';
import { Injectable } from '@nestjs/common';

/** Input of a configuration; a copy of it goes to the thread. */
export interface Reading {
  input: string | { json: unknown };
  options: ConfigurationOptions;
}

/** Below it, reading takes some ten milliseconds, and less than to start a thread. */
const shortCharacters = 32 * 1024;
const mostWaiting = 8;
const threadLimits = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 2048 };

const program = builtProgram('reading-thread', import.meta.url);

/**
 * Reads configurations without holding up the process: the largest one takes seconds, in which no timer would fire and no
 * victim be checked. Long ones are read in a thread, one at a time, for each takes some hundred megabytes.
 */
@Injectable()
export class ReadApart {
  private readonly turns = new OneAtATime('large configurations', mostWaiting);
  private readonly thread = program && new Thread<Reading, ConfigurationResult>(program, threadLimits);

  /**
   * @param length of the input as text
   * @throws ProblemException 503 if too many long ones wait already.
   */
  async read(reading: Reading, length: number): Promise<ConfigurationResult> {
    const { thread } = this;
    if (length <= shortCharacters || !thread) return readConfiguration(reading.input, reading.options);
    return this.turns.run(() => thread.ask(reading));
  }
}
