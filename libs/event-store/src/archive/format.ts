import { z } from 'zod';
import { CurtailError } from '#contracts';

/*
 * An archive is a folder. Of each partition of the log it holds NAME.jsonl.gz, compressed lines of JSON, and NAME.json, the manifest.
 * A line is {"event": row of the log}, {"snapshot": the input of a plan} or {"block": block of a hash chain}. Events stand in the order of
 * commits; the input of a plan precedes the plan, unless it is among the last `snapshotsKept` inputs, and the blocks of a pass precede
 * its events. The blocks of a pass that goes on in the next file stand in both. docs/how-to/keep-and-archive.md, "Archive the log"
 */

export const archiveFormat = 1;
/** A reader keeps this many inputs of plans in memory, so no more are assumed to be known. */
export const snapshotsKept = 20;

const place = z.strictObject({ transactionId: z.string(), position: z.string() });

export const manifestSchema = z.object({
  format: z.literal(archiveFormat),
  partition: z.string().regex(/^events_[a-z0-9_]{1,40}$/),
  /** The months that it holds, RFC 3339; `from` is null for the first partition. */
  from: z.string().nullable(),
  to: z.string(),
  file: z.string().regex(/^events_[a-z0-9_]{1,40}\.jsonl\.gz$/),
  /** Of the file on disk, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().nonnegative(),
  events: z.number().int().nonnegative(),
  plans: z.number().int().nonnegative(),
  /** Blocks of the hash chains; absent in files of releases that laid none. */
  blocks: z.number().int().nonnegative().optional(),
  /** Plans whose input was no longer kept. */
  plansWithoutInput: z.number().int().nonnegative(),
  /** The events of the file begin behind this place; absent as `blocks`. */
  after: place.optional(),
  /** Of the first and the last event; null without any. */
  first: place.nullable(),
  last: place.nullable(),
  writtenAt: z.string(),
});

export type ArchiveManifest = z.infer<typeof manifestSchema>;

/** A file of an archive differs from the written one: it was changed, or the disk failed. */
export class DamagedArchive extends CurtailError {
  readonly code = 'damaged-archive';

  constructor(
    readonly path: string,
    wrong: string,
  ) {
    super(`${path}: ${wrong}`);
  }
}
