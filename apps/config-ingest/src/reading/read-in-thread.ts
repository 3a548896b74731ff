import { Inject, Injectable } from '@nestjs/common';
import type { ConfigurationResult, QueueText } from '#configuration';
import { builtProgram, type CallingClient, type ThreadProgram, WorkInThread } from '#platform';
import { INGEST_SETTINGS, type IngestSettings } from '../settings/ingest-settings.js';
import { KeptReadings } from './kept-readings.js';
import {
  type AnyRead,
  type AnyReading,
  type EntryRead,
  type EntryReading,
  type QueueReading,
  type Reading,
  readAny,
  type WholeRead,
} from './reading.js';

/** Up to this length, any text is read in some ten milliseconds, less than starting a thread takes. */
const shortCharacters = 4 * 1024;
/**
 * From this length on, a thread ends with its answer: such a configuration leaves hundreds of megabytes of garbage, which an idle
 * thread does not collect. Starting another thread takes a fraction of the time of the next reading.
 */
const longCharacters = 4 * 1024 * 1024;
/** A compressed configuration may be as long as any, whatever the length of its text. */
const packed = /\.gz["']?\s*:/i;
const lengthOf = (text: string): number =>
  packed.test(text) ? Math.max(text.length, longCharacters) : text.length;
const threadMegabytes = 2048;

/**
 * Reads configurations while the process stays responsive: the largest one takes seconds, during which no timer would fire and no
 * victim would be checked. All but short ones are read in a thread, one at a time, since each takes some hundred megabytes, unless only a few
 * entries differ from the configuration before.
 *
 * Each method throws ProblemException as `WorkInThread.run`.
 */
@Injectable()
export class ReadInThread {
  private readonly work: WorkInThread<AnyReading, AnyRead>;
  private readonly kept = new KeptReadings();

  constructor(@Inject(INGEST_SETTINGS) { previewSeconds }: Pick<IngestSettings, 'previewSeconds'>) {
    this.work = new WorkInThread(
      {
        what: 'configuration',
        remedies: {
          tooLong: 'Send a shorter configuration.',
          tooLarge: 'Send a shorter configuration.',
        },
      },
      { seconds: previewSeconds, megabytes: threadMegabytes },
      readAny,
      builtProgram('reading-thread', import.meta.url),
    );
  }

  /** Reads with this program from now on. */
  use(program: ThreadProgram): void {
    this.work.use(program);
  }

  async read(reading: Reading, client?: CallingClient): Promise<ConfigurationResult> {
    const known = this.kept.read(reading);
    if (known !== undefined) return known;
    const { input } = reading;
    const length = lengthOf(typeof input === 'string' ? input : input.jsonText);
    const read = (await this.answer({ kind: 'whole', ...reading }, length, client)) as WholeRead;
    this.kept.keep(reading, read);
    return read.result;
  }

  /** The entry of a queue; undefined if it has none. */
  async queue(reading: QueueReading, client?: CallingClient): Promise<QueueText | undefined> {
    const length = lengthOf(reading.configuration);
    return (await this.answer({ kind: 'queue', ...reading }, length, client)) as QueueText | undefined;
  }

  /** The configuration with another entry for a queue. */
  async entry(reading: EntryReading, client?: CallingClient): Promise<EntryRead> {
    const length = lengthOf(reading.configuration) + lengthOf(reading.sent);
    return (await this.answer({ kind: 'entry', ...reading }, length, client)) as EntryRead;
  }

  private async answer(
    reading: AnyReading,
    length: number,
    client: CallingClient | undefined,
  ): Promise<AnyRead> {
    if (length <= shortCharacters) return readAny(reading);
    return this.work.run((ask) => ask(reading, length >= longCharacters), client);
  }
}
