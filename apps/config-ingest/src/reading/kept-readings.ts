import {
  type ConfigurationOptions,
  type ConfigurationResult,
  type KeptEntries,
  readEntries,
} from '#configuration';
import { readConfiguredWindow } from '#holds';
import type { Reading, WholeRead } from './reading.js';

/** Characters of all texts that are kept: a largest configuration of a hundred thousand queues, or very many small ones. */
const mostCharacters = 16 * 1024 * 1024;
/** More entries take longer than the process should be busy with one configuration. */
const mostEntries = 300;

interface Kept {
  text: string;
  result: ConfigurationResult;
  /** Absent: it was not read entry by entry. */
  entries: KeptEntries | undefined;
}

/**
 * The last valid configuration of each partition as it was read. Most configurations differ from the one before in a few entries: only these
 * are read, in a millisecond, without a thread. The result is the one of a whole reading, with the same objects for the same queues.
 */
export class KeptReadings {
  /** In the order of their last use. */
  private readonly kept = new Map<string, Kept>();
  private characters = 0;

  /** The configuration as a whole reading gives it; undefined: too much of it is unknown. */
  read(reading: Reading): ConfigurationResult | undefined {
    const key = keyOf(reading);
    const kept = this.kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.text === textOf(reading)) {
      this.put(key, kept);
      return kept.result;
    }
    const { input, options } = reading;
    if (kept.entries === undefined) return undefined;
    const of = typeof input === 'string' ? { text: input } : input;
    const read = readEntries(
      of,
      { ...options, checkWindow: readConfiguredWindow },
      { base: { result: kept.result, kept: kept.entries }, most: mostEntries },
    );
    if (read === undefined) return undefined;
    this.put(key, { text: textOf(reading), result: read.result, entries: read.kept });
    return read.result;
  }

  /** Keeps what a whole reading has read, if it is valid. */
  keep(reading: Reading, { result, entries }: WholeRead): void {
    const text = textOf(reading);
    if (!result.valid || text.length > mostCharacters) return;
    this.put(keyOf(reading), { text, result, entries: entries && { ...entries, text } });
  }

  private put(key: string, kept: Kept): void {
    this.drop(key);
    this.kept.set(key, kept);
    this.characters += kept.text.length;
    for (const [oldest] of this.kept) {
      if (this.characters <= mostCharacters) return;
      this.drop(oldest);
    }
  }

  private drop(key: string): void {
    this.characters -= this.kept.get(key)?.text.length ?? 0;
    this.kept.delete(key);
  }
}

const textOf = ({ input }: Reading): string => (typeof input === 'string' ? input : input.jsonText);

/** Everything on which the result depends beside the text. */
function keyOf({ input, options }: Reading): string {
  const { knownResourceTypes, ...others } = options;
  const rest: { [name in keyof Omit<ConfigurationOptions, 'knownResourceTypes'>]: unknown } = others;
  const types = knownResourceTypes && [...knownResourceTypes].sort();
  const entries = Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([typeof input === 'string', types, entries]);
}
