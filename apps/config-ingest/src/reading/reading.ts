import {
  type ConfigurationOptions,
  type ConfigurationResult,
  type ConfigurationWithQueue,
  type KeptEntries,
  type QueueText,
  queueTextIn,
  type RefusedQueueText,
  readConfiguration,
  readEntries,
  withQueueText,
} from '#configuration';
import { readConfiguredWindow } from '#holds';

/** A configuration as a text in one of its formats, or as JSON of the same shape. */
export type ConfigurationInput = string | { jsonText: string };

/** A configuration to read; a copy of it goes to the thread. */
export interface Reading {
  input: ConfigurationInput;
  options: ConfigurationOptions;
}

/** The configuration in force, in which one queue is to be found or replaced. */
export interface QueueReading {
  configuration: string;
  partition: string;
  queue: string;
}

/** An entry that is to replace that of the queue. */
export interface EntryReading extends QueueReading {
  sent: string;
  /** It may differ only in the queues below. */
  childrenOnly: boolean;
  options: ConfigurationOptions;
}

/** The whole configuration with the entry, read; the problems of the entry; undefined if the queue has no entry. */
export type EntryRead =
  | { merged: ConfigurationWithQueue; result: ConfigurationResult }
  | RefusedQueueText
  | undefined;

export type AnyReading =
  | ({ kind: 'whole' } & Reading)
  | ({ kind: 'queue' } & QueueReading)
  | ({ kind: 'entry' } & EntryReading);

/** A configuration, and what is needed to read the next one from it; `entries` lacks its text, which who asked has. */
export interface WholeRead {
  result: ConfigurationResult;
  entries?: KeptEntries | undefined;
}

export type AnyRead = WholeRead | QueueText | EntryRead;

/** JSON may be one string that holds a text of any format. */
const sourceOf = (json: unknown): string | { json: unknown } => (typeof json === 'string' ? json : { json });

/** Functions do not go to a thread. */
const read = (input: ConfigurationInput, options: ConfigurationOptions) =>
  readConfiguration(typeof input === 'string' ? input : sourceOf(JSON.parse(input.jsonText)), {
    ...options,
    checkWindow: readConfiguredWindow,
  });

function readWhole({ input, options }: Reading): WholeRead {
  const of = typeof input === 'string' ? { text: input } : input;
  // Entry by entry it also takes less memory.
  const byEntries = readEntries(of, { ...options, checkWindow: readConfiguredWindow });
  if (byEntries === undefined) return { result: read(input, options) };
  return { result: byEntries.result, entries: { ...byEntries.kept, text: '' } };
}

export function readAny(reading: AnyReading): AnyRead {
  switch (reading.kind) {
    case 'whole':
      return readWhole(reading);
    case 'queue':
      return queueTextIn(reading.configuration, reading.partition, reading.queue);
    case 'entry':
      return readEntry(reading);
  }
}

function readEntry({ configuration, options, ...entry }: EntryReading): EntryRead {
  const merged = withQueueText(configuration, entry);
  if (merged === undefined || 'errors' in merged) return merged;
  return { merged, result: read(merged.text, options) };
}
