import { createHash } from 'node:crypto';
import type { Cursor } from '../stored-event.js';

/** What a chain keeps of an event: its place in commit order and its digest. */
export interface ChainEntry extends Cursor {
  digest: Buffer;
}

/** A link of the chain of a partition of Curtail: the events of the partition that one pass over the log has seen. */
export interface Block {
  partition: string;
  /** Its number in the chain of the partition, from 1. */
  block: number;
  /** The number of the pass, which has a block of each partition that it has met. */
  pass: number;
  /** The pass saw all events behind this place … */
  after: Cursor;
  /** … up to this one. */
  through: Cursor;
  /** The stored form: `entriesOf` reads it. */
  entries: Buffer;
  hash: Buffer;
}

/** The hash before the first block. */
export const noHash = Buffer.alloc(32);

/** The hash of a block: SHA-256 over its own fields, its entries, and the hash of the block before. */
export function hashOfBlock(
  { partition, block, pass, after, through, entries }: Omit<Block, 'hash'>,
  before: Buffer,
): Buffer {
  const head = [
    'curtail log block 1',
    partition,
    block,
    pass,
    after.transactionId,
    after.position,
    through.transactionId,
    through.position,
    entries.length / bytesOfEntry,
    before.toString('hex'),
  ];
  return createHash('sha256')
    .update(`${JSON.stringify(head)}\n`)
    .update(entries)
    .digest();
}

export const bytesOfEntry = 8 + 8 + 32;

/** The stored form of entries: transaction id and position, 8 bytes each, and the digest of 32. */
export function entryBytes(entries: readonly ChainEntry[]): Buffer {
  const bytes = Buffer.alloc(entries.length * bytesOfEntry);
  for (const [index, { transactionId, position, digest }] of entries.entries()) {
    const at = index * bytesOfEntry;
    bytes.writeBigUInt64BE(BigInt(transactionId), at);
    bytes.writeBigUInt64BE(BigInt(position), at + 8);
    digest.copy(bytes, at + 16);
  }
  return bytes;
}

/** Reads the stored form; a rest that is no whole entry is ignored, and found by the hash. */
export function chainEntriesOf(bytes: Buffer): ChainEntry[] {
  return Array.from({ length: Math.floor(bytes.length / bytesOfEntry) }, (_, index) => {
    const at = index * bytesOfEntry;
    return {
      transactionId: String(bytes.readBigUInt64BE(at)),
      position: String(bytes.readBigUInt64BE(at + 8)),
      digest: bytes.subarray(at + 16, at + bytesOfEntry),
    };
  });
}

/** A block as archives hold it, in a line `{"block":…}`: entries in base64, the hash in hexadecimal. */
export type BlockLine = Omit<Block, 'entries' | 'hash'> & { entries: string; hash: string };

export const blockLine = ({ entries, hash, ...block }: Block): BlockLine => ({
  ...block,
  entries: entries.toString('base64'),
  hash: hash.toString('hex'),
});

export const blockOfLine = ({ entries, hash, ...block }: BlockLine): Block => ({
  ...block,
  entries: Buffer.from(entries, 'base64'),
  hash: Buffer.from(hash, 'hex'),
});
