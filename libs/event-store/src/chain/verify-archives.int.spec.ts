import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { marker, markers } from '../../../../test/support/events.js';
import { longPlan } from '../../../../test/support/long-plan.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { append } from '../append.js';
import { readManifests } from '../archive/read-archive.js';
import { writeArchive } from '../archive/write-archive.js';
import { beginning, type Cursor } from '../stored-event.js';
import { withMoves } from './compare.js';
import { layBlocks } from './lay-blocks.js';
import { verifyArchives } from './verify-archives.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

let written: string;
let folder: string;
let places: Cursor[];

/** Two files, of five and of six events; the second of the passes of four goes across both. */
beforeAll(async () => {
  const by = randomUUID();
  for (let n = 0; n < 10; n++) {
    const partition = n % 2 === 0 ? 'default' : 'other';
    await db.transaction((tx) =>
      append(tx, [
        {
          ...markers(`control-${n % 2}`, Math.floor(n / 2), marker(`"${n}" ,"data":1\n`, `root.ä-${n}`)),
          partition,
        },
      ]),
    );
    if (n % 4 === 3) await layBlocks(db, by);
  }
  await db.transaction((tx) => append(tx, [longPlan('e-long')]));
  await layBlocks(db, by);
  places = await db.query(
    'SELECT transaction_id::text AS "transactionId", position::text FROM events ORDER BY events.transaction_id, events.position',
  );
  written = await mkdtemp(join(tmpdir(), 'curtail-chain-'));
  const parts = [
    { partition: 'events_2026_01', to: '2026-02-01T00:00:00Z', after: beginning, through: places[4]! },
    { partition: 'events_2026_02', to: '2026-03-01T00:00:00Z', after: places[4]!, through: places[10]! },
  ];
  for (const part of parts)
    await writeArchive(db, written, { from: null, ...part }, { now: new Date(), onProgress: () => {} });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-chain-'));
  await cp(written, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(() => rm(written, { recursive: true }));

const files = async () => (await readManifests(folder)).map((manifest) => ({ folder, manifest }));
const verified = async () => {
  const found = await verifyArchives(await files());
  return { ...found, faults: withMoves(found.faults) };
};

const isEvent = (line: string) => line.startsWith('{"event"');

/** Changes the lines of a file, and its manifest with them. */
async function edit(name: string, change: (lines: string[]) => string[]): Promise<void> {
  const path = join(folder, `${name}.jsonl.gz`);
  const lines = change(
    gunzipSync(await readFile(path))
      .toString()
      .trimEnd()
      .split('\n'),
  );
  const bytes = gzipSync(`${lines.join('\n')}\n`);
  await writeFile(path, bytes);
  const manifest = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'));
  const rows = lines.filter(isEvent).map((line) => JSON.parse(line).event);
  const placeOf = (row: Record<string, unknown>) => ({
    transactionId: String(row.transaction_id),
    position: String(row.position),
  });
  const changed = {
    ...manifest,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    events: rows.length,
    first: placeOf(rows[0]),
    last: placeOf(rows.at(-1)),
  };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(changed));
}

/** Changes the nth event of a file. */
const editEvent = (name: string, nth: number, change: (line: string) => string[]) =>
  edit(name, (lines) => {
    let n = -1;
    return lines.flatMap((line) => (isEvent(line) && ++n === nth ? change(line) : [line]));
  });

describe('archives with their chains', () => {
  it('are as they were written', async () => {
    expect(await verified()).toEqual({ events: 11, blocks: 6, uncovered: 0, faults: [] });
  });

  it('name a changed event, though the manifest was changed with it', async () => {
    await editEvent('events_2026_01', 2, (line) => [line.replace('root.ä-2', 'root.b')]);
    expect((await verified()).faults).toMatchObject([
      { kind: 'changed', partition: 'default', position: places[2]!.position },
    ]);
  });

  it('name a changed event, and the file whose digest is another one', async () => {
    const manifest = await readFile(join(folder, 'events_2026_02.json'));
    await editEvent('events_2026_02', 5, (line) => [line.replace('jüngste', 'älteste')]);
    await writeFile(join(folder, 'events_2026_02.json'), manifest);
    expect((await verified()).faults).toMatchObject([
      { kind: 'changed', message: expect.stringContaining('has the digest') },
      { kind: 'changed', partition: 'default', position: places[10]!.position },
    ]);
  });

  it('name a missing event, also within the pass that goes across two files', async () => {
    await editEvent('events_2026_01', 1, () => []);
    await editEvent('events_2026_02', 0, () => []);
    expect((await verified()).faults).toMatchObject([
      { kind: 'missing', partition: 'other', position: places[1]!.position },
      { kind: 'missing', partition: 'other', position: places[5]!.position },
    ]);
  });

  it('name the last event if it is missing, where it is known how far the log is archived', async () => {
    await editEvent('events_2026_02', 5, () => []);
    const found = await verifyArchives(await files(), { through: places[10]! });
    expect(found.faults).toMatchObject([{ kind: 'missing', position: places[10]!.position }]);
  });

  it('name an added event', async () => {
    const [last] = [places[8]!];
    await editEvent('events_2026_02', 3, (line) => [
      line,
      line
        .replace(`"position":${last.position}`, '"position":99999')
        .replace(/"id":"[^"]*"/, `"id":"${randomUUID()}"`),
    ]);
    expect((await verified()).faults).toMatchObject([{ kind: 'added', position: '99999' }]);
  });

  it('name events in another order', async () => {
    await edit('events_2026_01', (lines) => {
      const [at, next] = [...lines.keys()].filter((index) => isEvent(lines[index]!)).slice(1, 3) as [
        number,
        number,
      ];
      const changed = [...lines];
      [changed[at], changed[next]] = [lines[next]!, lines[at]!];
      return changed;
    });
    expect((await verified()).faults).toContainEqual(
      expect.objectContaining({ kind: 'reordered', position: places[1]!.position }),
    );
  });

  it('name blocks that are missing or changed', async () => {
    await edit('events_2026_01', (lines) =>
      lines.filter((line) => !line.includes('"block":{"pass":1,"partition":"other"')),
    );
    expect((await verified()).faults).toContainEqual(
      expect.objectContaining({
        kind: 'broken-chain',
        partition: 'other',
        message: expect.stringContaining('block 1 is missing'),
      }),
    );
    await edit('events_2026_01', (lines) => lines.map((line) => line.replace(/"hash":"../, '"hash":"00')));
    expect((await verified()).faults).toContainEqual(
      expect.objectContaining({
        kind: 'broken-chain',
        message: expect.stringContaining('does not have the hash'),
      }),
    );
  });

  it('name a line and a file that cannot be read', async () => {
    await edit('events_2026_02', (lines) => [...lines.slice(0, 3), '{"snapshot"', ...lines.slice(3)]);
    expect((await verified()).faults).toMatchObject([{ message: expect.stringContaining('line 4') }]);
    await writeFile(join(folder, 'events_2026_02.jsonl.gz'), 'no gzip');
    expect((await verified()).faults).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('cannot be read') }),
    );
  });
});
