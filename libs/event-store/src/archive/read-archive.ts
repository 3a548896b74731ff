import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { catalog } from '#contracts/events';
import type { PackedChunk } from '../snapshots.js';
import type { Cursor, StoredEvent } from '../stored-event.js';
import { type ArchiveManifest, DamagedArchive, manifestSchema, snapshotsKept } from './format.js';

/** An event of an archive; of a plan with its packed input, if that was kept. */
export interface ArchivedEvent {
  event: StoredEvent;
  snapshot?: PackedChunk[];
}

/** The manifests of a folder, the oldest first. @throws DamagedArchive for one that cannot be read. */
export async function readManifests(folder: string): Promise<ArchiveManifest[]> {
  const names = (await readdir(folder)).filter((name) => /^events_[a-z0-9_]+\.json$/.test(name));
  const manifests = await Promise.all(names.map((name) => readManifest(folder, name.slice(0, -5))));
  return manifests.sort((a, b) => Date.parse(a.to) - Date.parse(b.to));
}

export async function readManifest(folder: string, partition: string): Promise<ArchiveManifest> {
  const path = join(folder, `${partition}.json`);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new DamagedArchive(path, `the manifest cannot be read (${error.code})`);
  });
  try {
    const manifest = manifestSchema.parse(JSON.parse(text));
    if (manifest.partition === partition) return manifest;
  } catch {}
  throw new DamagedArchive(path, 'this is not a manifest of archive format 1');
}

/** @throws DamagedArchive if the file is not the one that the manifest was written for. */
export async function assertDigest(folder: string, { file, sha256 }: ArchiveManifest): Promise<void> {
  const path = join(folder, file);
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch (error) {
    throw new DamagedArchive(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const found = hash.digest('hex');
  if (found !== sha256) throw new DamagedArchive(path, `has the digest ${found}, but ${sha256} was recorded`);
}

/** The events of one file in their order. Compare its digest first (`assertDigest`). @throws DamagedArchive */
export async function* readArchive(folder: string, { file }: ArchiveManifest): AsyncGenerator<ArchivedEvent> {
  const path = join(folder, file);
  const snapshots = new LastUsed<PackedChunk[]>(snapshotsKept);
  const unzipped = pipeline(createReadStream(path), createGunzip(), () => {});
  try {
    for await (const line of createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })) {
      const { event: row, snapshot } = JSON.parse(line) as {
        event?: Record<string, unknown>;
        snapshot?: { digest: string; chunks: { of: string | null; body: string }[] };
      };
      if (snapshot) {
        const chunks = snapshot.chunks.map(({ of, body }) => ({ of, body: Buffer.from(body, 'base64') }));
        snapshots.set(snapshot.digest, chunks);
      }
      if (!row) continue;
      const event = storedOf(row);
      const input =
        event.type === catalog.PlanComputed.type
          ? snapshots.get((event.data as { snapshotDigest: string }).snapshotDigest)
          : undefined;
      yield input ? { event, snapshot: input } : { event };
    }
  } catch (error) {
    throw new DamagedArchive(path, `cannot be read (${(error as Error).message})`);
  }
}

/**
 * Reads a whole file back: its digest, the number of its events, their order, the first and the last.
 *
 * @throws DamagedArchive with the reason.
 */
export async function verifyArchive(folder: string, manifest: ArchiveManifest): Promise<void> {
  const path = join(folder, manifest.file);
  await assertDigest(folder, manifest);
  const found: { events: number; plans: number; first: Cursor | null; last: Cursor | null } = {
    events: 0,
    plans: 0,
    first: null,
    last: null,
  };
  for await (const { event } of readArchive(folder, manifest)) {
    const place = { transactionId: event.transactionId, position: event.position };
    if (found.last && !isBefore(found.last, place))
      throw new DamagedArchive(path, `the event at position ${place.position} is out of order`);
    found.events++;
    if (event.type === catalog.PlanComputed.type) found.plans++;
    found.first ??= place;
    found.last = place;
  }
  for (const name of ['events', 'plans', 'first', 'last'] as const) {
    const [is, expected] = [found[name], manifest[name]].map((value) => JSON.stringify(value));
    if (is !== expected)
      throw new DamagedArchive(path, `${name}: ${is} is in the file, ${expected} in the manifest`);
  }
}

/** In the order of commits. */
export function isBefore(a: Cursor, b: Cursor): boolean {
  const [ofA, ofB] = [BigInt(a.transactionId), BigInt(b.transactionId)];
  return ofA === ofB ? BigInt(a.position) < BigInt(b.position) : ofA < ofB;
}

function storedOf(row: Record<string, unknown>): StoredEvent {
  const { transaction_id, position, time, recorded_at: _, outline_digest: __, ...rest } = row;
  const camel = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
  return {
    ...camel,
    transactionId: String(transaction_id),
    position: String(position),
    time: new Date(String(time)),
  } as StoredEvent;
}

/** A bounded number of the values set last; reading a value does not make it newer. */
export class LastUsed<T> {
  private readonly held = new Map<string, T>();

  constructor(private readonly most: number) {}

  get(key: string): T | undefined {
    return this.held.get(key);
  }

  set(key: string, value: T): void {
    this.held.delete(key);
    this.held.set(key, value);
    const [oldest] = this.held.keys();
    if (this.held.size > this.most && oldest !== undefined) this.held.delete(oldest);
  }
}
