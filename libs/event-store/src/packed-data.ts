import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { DomainEvent } from '#contracts';
import { fieldTextsOf, keptJsonOf, keptOf, textOfFields } from './json-text.js';

/*
 * Long plans are stored packed: threads of this process compress their JSON, because PostgreSQL takes several times as long to check
 * and compress it. `data` is null then; `packed` has the text of the data, and `outline` the short fields, for queries that need no
 * others. Every reader of this folder returns the data as they were appended.
 */

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Plans with this number of bytes or more are packed. */
const packedFrom = 100_000;
/** Fields with this number of characters or more are not part of an outline. */
const longFieldFrom = 10_000;
/** Threads compress a text in parts of this number of bytes. */
const partBytes = 2_000_000;
/** The fastest level of gzip. */
const level = 1;

/**
 * Added to the schema version of a packed event: a release that cannot read it waits at it, as at every event of a newer release
 * (docs/how-to/upgrade.md).
 */
export const packedVersion = 1000;

/** SQL: the schema version of an event. */
export const SCHEMA_VERSION = `schema_version % ${packedVersion}`;

/** SQL: the data of an event as JSON; of a packed one a string, which `unpackData` reads. */
export const DATA = `CASE WHEN packed IS NULL THEN data ELSE to_json(encode(packed, 'base64')) END`;

/** SQL: the JSON text of the data of an event; of a packed one a text that `unpackTexts` reads. */
export const DATA_TEXT = `CASE WHEN packed IS NULL THEN data::text ELSE encode(packed, 'base64') END`;

/** SQL: the data of an event; of a packed one only its short fields. */
export const OUTLINE = 'coalesce(data, outline)';

/** SQL: the stored size of the data of an event. Packed data count twice, since they unpack to about twice as much as others. */
export const STORED_SIZE =
  'CASE WHEN packed IS NULL THEN pg_column_size(data) ELSE 2 * octet_length(packed) END';

const packing = new WeakMap<object, Promise<Buffer>>();

/** Begins to compress the plan of an event that will be appended, if it is long. */
export function packAhead(plan: object): void {
  const text = keptJsonOf(plan);
  if (text.length < packedFrom || packing.has(plan)) return;
  const packed = packText(text);
  // `packData` reports a failure, if the event is appended.
  packed.catch(() => {});
  packing.set(plan, packed);
}

/** Parts that gzip has compressed unpack to the whole text when they are put together. */
async function packText(text: Buffer): Promise<Buffer> {
  const parts: Promise<Buffer>[] = [];
  for (let from = 0; from < text.length; from += partBytes) {
    parts.push(pack(text.subarray(from, from + partBytes), { level }));
  }
  return Buffer.concat(await Promise.all(parts));
}

export interface PackedData {
  /** gzip. */
  packed: Buffer;
  /** JSON of the short fields. */
  outline: string;
}

/** Whether an event is stored packed: a plan that is long. Queries read the data of other events in SQL. */
export function isPacked({ name, data }: DomainEvent): boolean {
  return name === 'PlanComputed' && (keptOf(data.plan)?.length ?? 0) >= packedFrom;
}

/** Packs the data of an event that `isPacked`. */
export async function packData(data: object): Promise<PackedData> {
  const fields = fieldTextsOf(data) ?? [];
  const parts = await Promise.all(
    [...textOfFields(fields)].map((part) => {
      if (typeof part === 'string') return packText(Buffer.from(part));
      return packing.get(part.value as object) ?? packText(Buffer.from(part.text));
    }),
  );
  const short = fields.filter(({ text }) => text.length < longFieldFrom);
  return {
    packed: Buffer.concat(parts),
    outline: `{${short.map(({ name, text }) => `${JSON.stringify(name)}:${text}`).join(',')}}`,
  };
}

/** The JSON text of packed data, in UTF-8. */
export const unpackText = (packed: Buffer): Promise<Buffer> => unpack(packed);

/** Reads what `DATA` selects: unpacks the data of these events, in place. Data that cannot be unpacked become null. */
export async function unpackData<E extends { data: unknown }>(events: E[]): Promise<E[]> {
  // One after the other, because each may be long.
  for (const event of events) {
    if (typeof event.data !== 'string') continue;
    event.data = await parsed(event.data);
  }
  return events;
}

async function parsed(data: string): Promise<unknown> {
  try {
    return JSON.parse(await textOf(data));
  } catch {
    // Then the event is unreadable, as every event whose data break their schema.
    return null;
  }
}

/** The same for `DATA_TEXT`. A text that cannot be unpacked becomes null: its readers fetch it, and find that it is unreadable. */
export async function unpackTexts(events: { data: string | null }[]): Promise<void> {
  for (const event of events) {
    // JSON of an object is never base64.
    if (event.data === null || event.data.startsWith('{')) continue;
    event.data = await textOf(event.data).catch(() => null);
  }
}

const textOf = async (packed: string) => (await unpackText(Buffer.from(packed, 'base64'))).toString();
