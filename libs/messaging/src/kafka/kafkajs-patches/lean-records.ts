import { createRequire } from 'node:module';
import { RepeatedTexts } from '../repeated-texts.js';

/*
 * kafkajs 2.2 allocates a buffer of 512 bytes and more for every header of a message it sends, and copies all headers
 * read so far for every header of one it receives. A message of Curtail has thirteen: some 50 µs to send and 20 to
 * read, some thousand times a second. Here a record is one buffer, and its headers one object; bytes and results are
 * the same (lean-records.spec.ts).
 *
 * https://kafka.apache.org/documentation/#record
 */

type Bytes = Buffer | string | null;
export interface NewRecord {
  offsetDelta?: number;
  timestampDelta?: number;
  key?: Bytes;
  value?: Bytes;
  headers?: Record<string, Bytes | Bytes[]>;
}
/** In the form of kafkajs: the part of its encoder that is checked. */
export interface Encoded {
  buf: Buffer;
  buffer: Buffer;
}
export type Encode = (record: NewRecord) => Encoded;

export interface Reader {
  buffer: Buffer;
  offset: number;
  readInt8(): number;
  readVarInt(): number;
  readVarLong(): unknown;
  readVarIntBytes(): Buffer | null;
}
interface Long {
  add(other: unknown): Long;
  toString(): string;
}
interface BatchContext {
  firstOffset?: unknown;
  firstTimestamp?: unknown;
  maxTimestamp?: unknown;
  timestampType?: number;
  magicByte?: number;
  isControlBatch?: boolean;
}
type Headers = Record<string, Buffer | null | (Buffer | null)[]>;
export interface ReadRecord {
  magicByte: number | undefined;
  attributes: number;
  timestamp: unknown;
  offset: string;
  key: Buffer | null;
  value: Buffer | null;
  headers: Headers;
  isControlRecord: boolean;
  batchContext: BatchContext;
}
export type Decode = (reader: Reader, context?: BatchContext) => ReadRecord;

const load = createRequire(import.meta.url);
const places = {
  encode: 'kafkajs/src/protocol/recordBatch/record/v0/index.js',
  decode: 'kafkajs/src/protocol/recordBatch/record/v0/decoder.js',
};

/** The default of kafkajs. */
export const ofKafkajs = {
  encode: load(places.encode) as Encode,
  decode: load(places.decode) as Decode,
};
const LongOf = load('kafkajs/src/utils/long.js') as { fromValue(value: unknown): Long };
const { LOG_APPEND_TIME } = load('kafkajs/src/protocol/timestampTypes.js') as { LOG_APPEND_TIME: number };

/** For a client that has not sent or fetched anything yet: it keeps the functions of its first use. */
export function leanRecords(): void {
  exportFrom(places.encode, encodeRecord);
  exportFrom(places.decode, decodeRecord);
}

/** Replaces what a module of kafkajs exports, for modules that are loaded later. */
export function exportFrom(place: string, what: unknown): void {
  const module = load.cache[load.resolve(place)];
  if (module) module.exports = what;
}

/** Leaves unusual records to kafkajs. */
export const encodeRecord: Encode = (record) => {
  const { offsetDelta = 0, timestampDelta = 0, key, value, headers = {} } = record;
  if (!isSmall(offsetDelta) || !isSmall(timestampDelta)) return ofKafkajs.encode(record);
  let count = 0;
  let body =
    1 + sizeOfVarInt(timestampDelta) + sizeOfVarInt(offsetDelta) + sizeOfBytes(key) + sizeOfBytes(value);
  for (const name of Object.keys(headers)) {
    const text = headers[name];
    if (typeof text !== 'string' && !Buffer.isBuffer(text)) return ofKafkajs.encode(record);
    body += sizeOfBytes(name) + sizeOfBytes(text);
    count++;
  }
  body += sizeOfVarInt(count);

  const buffer = Buffer.allocUnsafe(sizeOfVarInt(body) + body);
  let at = writeVarInt(buffer, 0, body);
  buffer[at++] = 0;
  at = writeVarInt(buffer, at, timestampDelta);
  at = writeVarInt(buffer, at, offsetDelta);
  at = writeBytes(buffer, at, key);
  at = writeBytes(buffer, at, value);
  at = writeVarInt(buffer, at, count);
  for (const name of Object.keys(headers)) {
    at = writeBytes(buffer, at, name);
    at = writeBytes(buffer, at, headers[name] as string | Buffer);
  }
  return { buf: buffer, buffer };
};

export const decodeRecord: Decode = (reader, context = {}) => {
  const {
    firstOffset,
    firstTimestamp,
    magicByte,
    isControlBatch = false,
    timestampType,
    maxTimestamp,
  } = context;
  const attributes = reader.readInt8();
  const timestampDelta = reader.readVarLong();
  const timestamp =
    timestampType === LOG_APPEND_TIME && maxTimestamp
      ? maxTimestamp
      : LongOf.fromValue(firstTimestamp).add(timestampDelta).toString();
  const offset = LongOf.fromValue(firstOffset).add(reader.readVarInt()).toString();
  return {
    magicByte,
    attributes,
    timestamp,
    offset,
    key: reader.readVarIntBytes(),
    value: reader.readVarIntBytes(),
    headers: readHeaders(reader),
    isControlRecord: isControlBatch,
    batchContext: context,
  };
};

const names = new RepeatedTexts();

function readHeaders(reader: Reader): Headers {
  const headers: Headers = {};
  const count = reader.readVarInt();
  for (let place = 0; place < count; place++) {
    const length = reader.readVarInt();
    const from = reader.offset;
    // An empty name counts as none.
    reader.offset += Math.max(length, 0);
    const name = length < 0 ? 'null' : names.decode(place, reader.buffer, from, reader.offset);
    const value = reader.readVarIntBytes();
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    const now = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value];
    if (name === '__proto__') Object.defineProperty(headers, name, { ...ownProperty, value: now });
    else headers[name] = now;
  }
  return headers;
}

const ownProperty = { enumerable: true, configurable: true, writable: true };

/** Numbers whose double still fits 31 bits. */
const isSmall = (number: number) => Number.isInteger(number) && number >= 0 && number < 2 ** 30;

/** Zigzag: numbers from 0 are written as their double. */
function sizeOfVarInt(number: number): number {
  let size = 1;
  for (let left = number >>> 6; left > 0; left >>>= 7) size++;
  return size;
}

function sizeOfBytes(bytes: Bytes | undefined): number {
  if (bytes === null || bytes === undefined) return 1;
  const length = Buffer.byteLength(bytes);
  return sizeOfVarInt(length) + length;
}

function writeVarInt(buffer: Buffer, at: number, number: number): number {
  let left = number * 2;
  while (left > 0x7f) {
    buffer[at++] = (left & 0x7f) | 0x80;
    left >>>= 7;
  }
  buffer[at++] = left;
  return at;
}

function writeBytes(buffer: Buffer, at: number, bytes: Bytes | undefined): number {
  if (bytes === null || bytes === undefined) {
    // -1, zigzag
    buffer[at] = 1;
    return at + 1;
  }
  const start = writeVarInt(buffer, at, Buffer.byteLength(bytes));
  return start + (typeof bytes === 'string' ? buffer.write(bytes, start) : bytes.copy(buffer, start));
}
