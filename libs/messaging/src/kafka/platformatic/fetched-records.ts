import type { KafkaMessage } from 'kafkajs';
import { boundedGzip } from '../kafkajs-patches/bounded-gzip.js';
import { placesInBatch as at, standIn } from '../kafkajs-patches/unreadable-batches.js';
import { notImplemented } from './library.js';
import type { BytesReader, Library } from './surface.js';

/** What a broker answers about one partition. */
export interface FetchedPartition {
  topic: string;
  partition: number;
  errorCode: number;
  highWatermark: bigint;
  aborted: { producerId: bigint; firstOffset: bigint }[];
  records: Buffer;
}

/**
 * Reads an answer to a fetch of version 12, without its records: the library's own function fails for all partitions when
 * it cannot read one batch of one.
 */
export function readFetch(reader: BytesReader): { errorCode: number; partitions: FetchedPartition[] } {
  reader.readInt32();
  const errorCode = reader.readInt16();
  reader.readInt32();
  const topics = reader.readArray((ofTopic) => {
    const topic = ofTopic.readString();
    return ofTopic.readArray((r) => readPartition(topic, r));
  });
  return { errorCode, partitions: topics.flat() };
}

function readPartition(topic: string, r: BytesReader): FetchedPartition {
  const [partition, errorCode, highWatermark] = [r.readInt32(), r.readInt16(), r.readInt64()];
  r.readInt64();
  r.readInt64();
  const aborted = r.readNullableArray((one) => ({
    producerId: one.readInt64(),
    firstOffset: one.readInt64(),
  }));
  r.readInt32();
  // One more than the length; 0 = null.
  const length = Math.max(0, r.readUnsignedVarInt() - 1);
  const records = length > 0 ? r.buffer.slice(r.position, r.position + length) : Buffer.alloc(0);
  r.skip(length);
  return { topic, partition, errorCode, highWatermark, aborted: aborted ?? [], records };
}

const headLength = 12;
const codecMask = 0x7;
const gzip = 1;
const appendTime = 0x8;
const inTransaction = 0x10;
const isControl = 0x20;
/** In the key of a control record. */
const abortMarker = 0;

export interface ReadMessages {
  /** From the requested offset on, without control records and aborted messages. */
  messages: KafkaMessage[];
  /** The offsets of the first and last record of any kind from the requested one on; undefined: there is none. */
  first?: bigint;
  last?: bigint;
}

/** The messages of a fetch. A batch that cannot be read becomes one message (unreadable-batches.ts). */
export async function readMessages(
  library: Library,
  { records, aborted }: FetchedPartition,
  from: bigint,
): Promise<ReadMessages> {
  const read: ReadMessages = { messages: [] };
  const aborting = new Set<bigint>();
  const coming = [...aborted].sort((a, b) => Number(a.firstOffset - b.firstOffset));
  // The last batch of a fetch may be cut off; it begins the next one.
  for (let start = 0; records.length - start > at.count; ) {
    const end = start + headLength + records.readInt32BE(start + 8);
    if (end > records.length) break;
    const batch = await readBatch(library, records, start, end);
    start = end;
    while (coming[0] && coming[0].firstOffset <= batch.last) aborting.add(coming.shift()!.producerId);
    if (batch.last >= from) {
      read.first ??= batch.base > from ? batch.base : from;
      read.last = batch.last;
    }
    if (batch.attributes & isControl) {
      if (batch.controlKey?.readInt16BE(2) === abortMarker) aborting.delete(batch.producerId);
    } else if (!(batch.attributes & inTransaction) || !aborting.has(batch.producerId)) {
      for (const message of batch.messages) if (BigInt(message.offset) >= from) read.messages.push(message);
    }
  }
  return read;
}

async function readBatch(library: Library, buffer: Buffer, start: number, end: number) {
  const base = buffer.readBigInt64BE(start);
  const attributes = buffer.readInt16BE(start + at.attributes);
  const last = base + BigInt(buffer.readInt32BE(start + at.lastOffsetDelta));
  const producerId = buffer.readBigInt64BE(start + at.producerId);
  const batch = { base, last, attributes, producerId };
  try {
    const codec = attributes & codecMask;
    if (codec > gzip) throw notImplemented(`codec ${codec}`);
    const packed = buffer.subarray(start + at.count + 4, end);
    const body = codec === gzip ? await boundedGzip.decompress(packed) : packed;
    const reader = library.Reader.from(body);
    const count = buffer.readInt32BE(start + at.count);
    const records = Array.from({ length: count }, () => library.readRecord(reader));
    const firstTimestamp = buffer.readBigInt64BE(start + at.firstTimestamp);
    const maxTimestamp = buffer.readBigInt64BE(start + at.maxTimestamp);
    const messages = records.map(
      ({ offsetDelta, timestampDelta, key, value, headers }): KafkaMessage => ({
        offset: String(base + BigInt(offsetDelta)),
        timestamp: String(attributes & appendTime ? maxTimestamp : firstTimestamp + timestampDelta),
        attributes: 0,
        key,
        value,
        headers: headersOf(headers),
      }),
    );
    return { ...batch, messages, controlKey: records[0]?.key };
  } catch (error) {
    const { records } = standIn(buffer, start, error as Error);
    return { ...batch, messages: records as KafkaMessage[], controlKey: undefined };
  }
}

function headersOf(pairs: readonly [Buffer | null, Buffer | null][]): NonNullable<KafkaMessage['headers']> {
  const all = new Map<string, Buffer | Buffer[]>();
  for (const [name, value] of pairs) {
    const text = name?.toString() ?? 'null';
    const before = all.get(text);
    const one = value as Buffer;
    all.set(text, before === undefined ? one : [before, one].flat());
  }
  return Object.fromEntries(all);
}
