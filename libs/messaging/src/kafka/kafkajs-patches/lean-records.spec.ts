import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kafkajs } from '../kafkajs.js';
import { decodeRecord, encodeRecord, type NewRecord, ofKafkajs, type Reader } from './lean-records.js';

const load = createRequire(import.meta.url);
const Decoder = load('kafkajs/src/protocol/decoder.js') as new (buffer: Buffer) => Reader;

const halfCharacters = fc.string({
  unit: fc.integer({ min: 0xd700, max: 0xe000 }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
});
const bytes = fc.oneof(
  fc.constant(null),
  halfCharacters,
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
);
const value = fc.oneof(
  { weight: 1, arbitrary: halfCharacters },
  { weight: 5, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
  { weight: 1, arbitrary: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }) },
);
// The client itself fails with a name that every object has.
const name = fc.oneof(
  fc.string({ maxLength: 30 }).filter((name) => !(name in {})),
  fc.constantFrom('ce_id', 'naïve'),
);
const record: fc.Arbitrary<NewRecord> = fc.record(
  {
    offsetDelta: fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1)),
    timestampDelta: fc.oneof(fc.nat(300), fc.integer({ min: -(2 ** 40), max: 2 ** 40 })),
    key: bytes,
    value: bytes,
    headers: fc.array(fc.tuple(name, value), { maxLength: 16 }).map((pairs) => Object.fromEntries(pairs)),
  },
  { requiredKeys: [] },
);
const context = fc.record(
  {
    firstOffset: fc.bigInt({ min: 0n, max: 2n ** 62n }).map(String),
    firstTimestamp: fc.bigInt({ min: 0n, max: 2n ** 45n }).map(String),
    maxTimestamp: fc.bigInt({ min: 0n, max: 2n ** 45n }).map(String),
    timestampType: fc.constantFrom(0, 1),
    magicByte: fc.constant(2),
    isControlBatch: fc.boolean(),
  },
  { requiredKeys: ['firstOffset', 'firstTimestamp'] },
);

/** A reader of the content after the length of a record. */
function behindLength(encoded: Buffer): Reader {
  const reader = new Decoder(encoded);
  reader.readVarInt();
  return reader;
}

describe('records', () => {
  it('are the same bytes as those of the client itself', () => {
    fc.assert(
      fc.property(record, (record) => {
        expect(encodeRecord(record).buffer.toString('hex')).toBe(
          ofKafkajs.encode(record).buffer.toString('hex'),
        );
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('are read as by the client itself', () => {
    fc.assert(
      fc.property(record, context, (record, context) => {
        const encoded = ofKafkajs.encode(record).buffer;
        const theirs = ofKafkajs.decode(behindLength(encoded), context);
        const ours = decodeRecord(behindLength(encoded), context);
        expect(ours).toEqual(theirs);
        expect(Object.entries(ours.headers)).toEqual(Object.entries(theirs.headers));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  describe('of others', () => {
    const part = (text: string | null) =>
      text === null ? [1] : [Buffer.byteLength(text) * 2, ...Buffer.from(text)];
    const recordWith = (...headers: [name: string | null, value: string | null][]) =>
      new Decoder(
        Buffer.from([
          0,
          0,
          0,
          ...part('key'),
          ...part(null),
          headers.length * 2,
          ...headers.flat().flatMap(part),
        ]),
      );
    const context = { firstOffset: '7', firstTimestamp: '8' };

    it('may have a header more than once, or without a value or a name', () => {
      const headers = () =>
        recordWith(['a', '1'], ['b', null], ['a', null], ['a', '3'], [null, 'z'], ['b', '4']);
      const read = decodeRecord(headers(), context);
      expect(read).toEqual(ofKafkajs.decode(headers(), context));
      expect(read.headers).toEqual({
        a: [Buffer.from('1'), null, Buffer.from('3')],
        b: [null, Buffer.from('4')],
        null: Buffer.from('z'),
      });
    });

    it('may have one under a name that every object has', () => {
      const { headers } = decodeRecord(
        recordWith(['__proto__', 'x'], ['constructor', 'y'], ['__proto__', 'z']),
        context,
      );
      expect(Object.entries(headers)).toEqual([
        ['__proto__', [Buffer.from('x'), Buffer.from('z')]],
        ['constructor', Buffer.from('y')],
      ]);
      expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
    });
  });

  it('are created so by the client that Curtail uses', async () => {
    expect(kafkajs.Kafka).toBeDefined();
    const produce = load('kafkajs/src/protocol/requests/produce/v3/request.js') as (request: object) => {
      encode(): Promise<{ buffer: Buffer }>;
    };
    // A patched object has no methods of an encoder: if the request accepts it, and has its bytes, it is a patched one.
    const message = { key: 'k', value: 'v', headers: { name: 'text' } };
    const topicData = [{ topic: 't', partitions: [{ partition: 0, firstSequence: 0, messages: [message] }] }];
    const { buffer } = await produce({ acks: -1, timeout: 1, topicData }).encode();
    expect(buffer.includes(encodeRecord(message).buffer)).toBe(true);
    expect(load('kafkajs/src/protocol/recordBatch/record/v0/index.js')).toBe(encodeRecord);
    expect(load('kafkajs/src/protocol/recordBatch/record/v0/decoder.js')).toBe(decodeRecord);
  });

  it('are read so from a fetched batch', async () => {
    expect(kafkajs.Kafka).toBeDefined();
    const { RecordBatch } = load('kafkajs/src/protocol/recordBatch/v0/index.js') as {
      RecordBatch(of: { records: unknown[] }): Promise<{ buffer: Buffer }>;
    };
    const decodeBatch = load('kafkajs/src/protocol/recordBatch/v0/decoder.js') as (
      fetched: Reader,
    ) => Promise<{ records: { headers: unknown }[] }>;
    const { buffer } = await RecordBatch({ records: [encodeRecord({ headers: { constructor: 'x' } })] });
    const { records } = await decodeBatch(new Decoder(buffer));
    // The client itself would take the constructor of its object for an earlier value.
    expect(records.map(({ headers }) => headers)).toEqual([{ constructor: Buffer.from('x') }]);
  });
});
