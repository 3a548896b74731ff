import { createRequire } from 'node:module';

/*
 * kafkajs 2.2 rejects a whole fetch of which it cannot read one batch of records: compressed with Snappy, LZ4 or Zstandard, far too large once it
 * is decompressed, or damaged. The consumer then fetches it again and again, and everything behind it waits. Here such a batch becomes one message
 * at its last offset, without content and with the reason (`unreadableIn`), so that the consumer can put it aside and continue behind it.
 *
 * https://kafka.apache.org/documentation/#recordbatch
 */

/** Messages that could not be read: those from `first` on, up to the offset of the message that stands for them. */
export interface UnreadableBatch {
  first: string;
  count: number;
  reason: string;
}

interface Fetched {
  buffer: Buffer;
  offset: number;
}
interface DecodedBatch {
  firstOffset: string;
  records: unknown[];
}
type DecodeBatch = (fetched: Fetched) => Promise<DecodedBatch>;

const load = createRequire(import.meta.url);
const place = 'kafkajs/src/protocol/recordBatch/v0/decoder.js';
let decodeOfKafkajs: DecodeBatch;
const unreadable = new WeakMap<object, UnreadableBatch>();

/** What a message stands for, if it stands for messages that could not be read. */
export const unreadableIn = (message: object): UnreadableBatch | undefined => unreadable.get(message);

/** For a client that has not fetched anything yet: it keeps the function of its first use, and the one for records that there is by now (`leanRecords`). */
export function standInForUnreadable(): void {
  decodeOfKafkajs ??= load(place) as DecodeBatch;
  const module = load.cache[load.resolve(place)];
  if (module) module.exports = decodeBatch;
}

export const decodeBatch: DecodeBatch = async (fetched) => {
  const { buffer, offset } = fetched;
  try {
    return await decodeOfKafkajs(fetched);
  } catch (error) {
    // The end of a fetch; it begins the next one.
    if ((error as Error).name === 'KafkaJSPartialMessageError') throw error;
    return standIn(buffer, offset, error as Error);
  }
};

/** At these distances from the beginning of a batch. */
export const placesInBatch = {
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  count: 57,
};
const codecs = ['none', 'gzip', 'Snappy', 'LZ4', 'Zstandard'];
const codecMask = 0x7;
const inTransaction = 0x10;
const isControl = 0x20;

/** The batch that begins at `start`, with one message in place of its own. */
export function standIn(buffer: Buffer, start: number, error: Error): DecodedBatch {
  const first = buffer.readBigInt64BE(start);
  const attributes = buffer.readInt16BE(start + placesInBatch.attributes);
  const lastOffsetDelta = buffer.readInt32BE(start + placesInBatch.lastOffsetDelta);
  const context = {
    firstOffset: String(first),
    firstTimestamp: String(buffer.readBigInt64BE(start + placesInBatch.firstTimestamp)),
    inTransaction: (attributes & inTransaction) > 0,
    isControlBatch: (attributes & isControl) > 0,
    lastOffsetDelta,
    producerId: String(buffer.readBigInt64BE(start + placesInBatch.producerId)),
    maxTimestamp: String(buffer.readBigInt64BE(start + placesInBatch.maxTimestamp)),
  };
  const message = {
    magicByte: 2,
    attributes: 0,
    isControlRecord: context.isControlBatch,
    key: null,
    value: null,
    headers: {},
    offset: String(first + BigInt(lastOffsetDelta)),
    timestamp: context.maxTimestamp,
    batchContext: context,
  };
  unreadable.set(message, {
    first: String(first),
    count: buffer.readInt32BE(start + placesInBatch.count),
    reason: reasonOf(attributes, error),
  });
  return { ...context, records: [message] };
}

function reasonOf(attributes: number, { name, message }: Error): string {
  if (name !== 'KafkaJSNotImplemented') return message;
  const codec = codecs[attributes & codecMask] ?? 'another codec';
  return `compressed with ${codec}, and Curtail reads gzip only: set compression.type=uncompressed on the topic`;
}
