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

/** Below this length, reading takes some ten milliseconds, less than starting a thread. */
const shortCharacters = 32 * 1024;
const mostWaiting = 8;
const threadLimits = { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 2048 };

const program = builtProgram('reading-thread', import.meta.url);

/**
 * Reads configurations while the process stays responsive: the largest one takes seconds, during which no timer would fire and no
 * victim would be checked. Long ones are read in a thread, one at a time, since each takes some hundred megabytes.
 */
@Injectable()
export class ReadApart {
  private readonly turns = new OneAtATime('large configurations', mostWaiting);
  private readonly thread = program && new Thread<Reading, ConfigurationResult>(program, threadLimits);

  /**
   * @param length of the input as text
   * @throws ProblemException 503 if too many long ones are already waiting.
   */
  async read(reading: Reading, length: number): Promise<ConfigurationResult> {
    const { thread } = this;
    if (length <= shortCharacters || !thread) return readConfiguration(reading.input, reading.options);
    return this.turns.run(() => thread.ask(reading));
  }
}
