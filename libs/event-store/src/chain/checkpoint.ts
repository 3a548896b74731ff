import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { Cursor } from '../stored-event.js';
import type { Block } from './block.js';
import { brokenAt, type LogFault } from './compare.js';

/** The end of the chain of a partition. */
const headSchema = z.object({
  partition: z.string(),
  block: z.number().int().positive(),
  /** Of its last event. */
  position: z.string(),
  /** Hexadecimal. */
  hash: z.string(),
});

/** What is signed: how far the chains were at a time. Whoever changes the log afterwards would have to change the checkpoint, too. */
export const checkpointSchema = z.object({
  format: z.literal(1),
  at: z.string(),
  /** The last pass over the log. */
  pass: z.number().int().nonnegative(),
  /** Those that have grown since the checkpoint before. */
  heads: z.array(headSchema),
});
export type LogCheckpoint = z.infer<typeof checkpointSchema>;

/** A line of a file of checkpoints. The signature is over the JSON text of the checkpoint, as `JSON.stringify` writes it. */
export const signedCheckpointSchema = z.object({
  checkpoint: checkpointSchema,
  alg: z.literal('EdDSA'),
  kid: z.string(),
  signature: z.string(),
});
export type SignedCheckpoint = z.infer<typeof signedCheckpointSchema>;

/** The ends of the chains that have blocks behind a pass. */
export async function checkpointAfter(
  db: DataSource,
  pass: number,
  at: Date,
): Promise<LogCheckpoint | undefined> {
  const rows = await db.query<(Pick<Block, 'partition' | 'block' | 'hash'> & Cursor & { pass: string })[]>(
    `SELECT DISTINCT ON (partition) partition, block, pass::text, hash, position::text
     FROM log_blocks WHERE log_blocks.pass > $1 ORDER BY partition, block DESC`,
    [pass],
  );
  if (rows.length === 0) return undefined;
  return {
    format: 1,
    at: at.toISOString(),
    pass: Math.max(...rows.map((row) => Number(row.pass))),
    heads: rows.map(({ partition, block, position, hash }) => ({
      partition,
      block,
      position,
      hash: hash.toString('hex'),
    })),
  };
}

/** Compares the chains with checkpoints, block by block. */
export class Checkpoints {
  private readonly heads = new Map<
    string,
    { at: string; hash: string; position: string; partition: string }
  >();

  constructor(checkpoints: readonly LogCheckpoint[]) {
    for (const { at, heads } of checkpoints)
      for (const { partition, block, hash, position } of heads)
        this.heads.set(keyOf(partition, block), { at, hash, position, partition });
  }

  /** The faults of a block; each checkpoint is compared once. */
  compare(block: Pick<Block, 'partition' | 'block' | 'hash' | 'through'>): LogFault[] {
    const key = keyOf(block.partition, block.block);
    const head = this.heads.get(key);
    if (head === undefined) return [];
    this.heads.delete(key);
    if (head.hash === block.hash.toString('hex')) return [];
    return [
      {
        ...brokenAt(
          block,
          `block ${block.block} of the chain is not the one of the checkpoint of ${head.at}: the log up to position ${head.position} was replaced`,
        ),
        kind: 'other-checkpoint',
      },
    ];
  }

  /** Checkpoints of blocks that were not met: the log was cut off before them. */
  unmet(): LogFault[] {
    return [...this.heads].map(([key, { at, position, partition }]) => ({
      kind: 'other-checkpoint',
      partition,
      position,
      message: `block ${key.slice(0, key.indexOf(' '))} of the checkpoint of ${at} is missing: the log was cut off before position ${position}`,
    }));
  }
}

const keyOf = (partition: string, block: number) => `${block} ${partition}`;
