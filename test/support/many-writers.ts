import type { DataSource } from 'typeorm';
import { append, beginning, readPage, type StoredEvent } from '#event-store';
import { marker, markers } from './events.js';

const streams = ['a', 'b', 'c'];
const [writers, perWriter] = [6, 40];

export interface WrittenWhileRead {
  /** All that a reader saw that read from the beginning on, page by page, while it was written. */
  seen: StoredEvent[];
  /** How many events were appended. */
  written: number;
  /** Last versions of the streams. */
  versions: ReadonlyMap<string, number>;
}

/** Many writers append to few streams, each event in a transaction that got its id before its turn, while a reader reads. */
export async function writeWhileReading(
  db: DataSource,
  afterHalf: () => void = () => {},
): Promise<WrittenWhileRead> {
  const seen: StoredEvent[] = [];
  const versions = new Map(streams.map((stream) => [stream, 0]));
  let [written, writing] = [0, true];
  const reader = (async () => {
    let cursor = beginning;
    for (let last = false; ; ) {
      const page = await readPage(db, cursor, { limit: 7 });
      seen.push(...page.events);
      cursor = page.next;
      if (page.events.length > 0) continue;
      if (last && !page.heldBack) return;
      last = !writing;
    }
  })();
  const write = async (writer: number) => {
    for (let i = 0; i < perWriter; i++) {
      const stream = streams[(writer + i) % streams.length]!;
      await db.transaction(async (tx) => {
        // The id first, the turn at the stream later: as a handler does that marks its inbox before it appends.
        await tx.query('SELECT pg_current_xact_id()');
        await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [stream]);
        const version = versions.get(stream)!;
        await append(tx, [markers(stream, version, marker(`${writer}.${i}`))]);
        versions.set(stream, version + 1);
      });
      if (++written === (writers * perWriter) / 2) afterHalf();
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  writing = false;
  await reader;
  return { seen, written, versions };
}
