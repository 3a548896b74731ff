import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { marker, markers } from '../../../../test/support/events.js';
import { longPlan } from '../../../../test/support/long-plan.js';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { append } from '../append.js';
import { type LogFault, withMoves } from './compare.js';
import { layBlocks } from './lay-blocks.js';
import { verifyLog } from './verify-log.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

const by = randomUUID();

/** Three passes over ten events of two partitions. */
beforeEach(async () => {
  await db.query('TRUNCATE events, log_blocks');
  await db.query("UPDATE log_chain SET pass = 0, transaction_id = '0', position = 0");
  for (let n = 0; n < 10; n++) {
    const stream = `control-${n % 2}`;
    await db.transaction((tx) =>
      append(tx, [
        {
          ...markers(stream, Math.floor(n / 2), marker(`somebody "${n}"\n`, `root.ä-${n}`)),
          partition: n % 2 === 0 ? 'default' : 'other',
        },
      ]),
    );
    if (n % 4 === 3) expect(await layBlocks(db, by)).toBe(4);
  }
  expect(await layBlocks(db, by)).toBe(2);
});

async function faults(): Promise<LogFault[]> {
  const found: LogFault[] = [];
  for (let pass = 0; ; ) {
    const page = await verifyLog(db, pass);
    found.push(...page.faults);
    if (page.atEnd) return withMoves(found);
    pass = page.pass;
  }
}

const positionOf = async (nr: number): Promise<string> => {
  const [row] = await db.query(
    'SELECT position::text FROM events ORDER BY events.position OFFSET $1 LIMIT 1',
    [nr],
  );
  return row.position;
};

describe('the chains of the log', () => {
  it('find a log unchanged', async () => {
    const page = await verifyLog(db, 0);
    expect(page).toMatchObject({ events: 10, archived: 0, faults: [] });
    expect(page.blocks.map(({ partition, block, pass }) => [pass, partition, block])).toEqual([
      [1, 'default', 1],
      [1, 'other', 1],
      [2, 'default', 2],
      [2, 'other', 2],
      [3, 'default', 3],
      [3, 'other', 3],
    ]);
    expect(await verifyLog(db, page.pass)).toMatchObject({ atEnd: true, faults: [] });
  });

  const kinds: [
    what: string,
    change: (position: string, other: string) => Promise<unknown>,
    found: (position: string, other: string) => Partial<LogFault>[],
  ][] = [
    ...(
      [
        ['data', `replace(data::text, 'somebody', 'nobody')::json`],
        ['time', `time + interval '1 ms'`],
        ['key', `'root.b'`],
        ['stream', `'control-9'`],
        ['version', 'version + 100'],
        ['type', `'io.curtail.queue.resumed.v1'`],
        ['topic', `'curtail.quota'`],
        ['id', 'gen_random_uuid()'],
        ['partition', `'third'`],
        ['traceparent', `'00-00000000000000000000000000000001-0000000000000001-01'`],
        ['schema_version', 'schema_version + 1'],
      ] as const
    ).map(
      ([column, value]) =>
        [
          `a changed row (${column})`,
          (position: string) =>
            db.query(`UPDATE events SET ${column} = ${value} WHERE position = $1`, [position]),
          (position: string) => [{ kind: 'changed', partition: 'default', position }],
        ] as (typeof kinds)[number],
    ),
    [
      'a missing row',
      (position) => db.query('DELETE FROM events WHERE position = $1', [position]),
      (position) => [{ kind: 'missing', partition: 'default', position }],
    ],
    [
      'an added row',
      (position) =>
        db.query(
          `INSERT INTO events (position, transaction_id, stream, version, id, type, topic, partition, key, time, data)
           SELECT 999999, transaction_id, 'added', 1, gen_random_uuid(), type, topic, partition, key, time, data
           FROM events WHERE position = $1`,
          [position],
        ),
      () => [{ kind: 'added', partition: 'default', position: '999999' }],
    ],
    [
      'an added row of a partition without a chain',
      (position) =>
        db.query(
          `INSERT INTO events (position, transaction_id, stream, version, id, type, topic, partition, key, time, data)
           SELECT 999999, transaction_id, 'added', 1, gen_random_uuid(), type, topic, 'third', key, time, data
           FROM events WHERE position = $1`,
          [position],
        ),
      () => [{ kind: 'added', partition: 'third', position: '999999' }],
    ],
    [
      'rows that have changed places',
      async (position, other) => {
        await db.query('UPDATE events SET position = -1 WHERE position = $1', [position]);
        await db.query('UPDATE events SET position = $1 WHERE position = $2', [position, other]);
        await db.query('UPDATE events SET position = $1 WHERE position = -1', [other]);
      },
      (position, other) => [
        {
          kind: 'reordered',
          position,
          message: expect.stringContaining(`recorded at position ${other}`) as never,
        },
        { kind: 'reordered', position: other },
      ],
    ],
    [
      'a row that was moved to the end',
      (position) =>
        db.query(
          'UPDATE events SET transaction_id = (SELECT max(transaction_id) FROM events), position = position WHERE position = $1',
          [position],
        ),
      (position) => [{ kind: 'reordered', partition: 'default', position }],
    ],
  ];
  it.each(kinds)('find %s and name it', async (_what, change, found) => {
    const [position, other] = [await positionOf(2), await positionOf(6)];
    await change(position, other);
    expect(await faults()).toMatchObject(found(position, other));
  });

  it('cover long plans, which are packed, and their outlines', async () => {
    await db.transaction((tx) => append(tx, [longPlan('e-long')]));
    expect(await layBlocks(db, by)).toBe(1);
    const position = await positionOf(10);
    const [{ packed }] = await db.query('SELECT packed FROM events WHERE position = $1', [position]);
    expect(packed.length).toBeGreaterThan(1000);
    expect(await faults()).toEqual([]);
    const [{ outline }] = await db.query('SELECT outline::text FROM events WHERE position = $1', [position]);
    const changed = gzipSync(gunzipSync(packed).toString().replace('jüngste', 'älteste'));
    for (const [column, value] of [
      ['packed', changed],
      ['packed', Buffer.from('no gzip')],
      ['outline', outline.replace('e-long', 'e-other')],
    ]) {
      await db.query(`UPDATE events SET ${column} = $2 WHERE position = $1`, [position, value]);
      expect(await faults()).toMatchObject([{ kind: 'changed', position }]);
      await db.query('UPDATE events SET packed = $2, outline = $3 WHERE position = $1', [
        position,
        packed,
        outline,
      ]);
    }
    expect(await faults()).toEqual([]);
  });

  it('find a block that was changed with its event', async () => {
    const position = await positionOf(2);
    await db.query('UPDATE events SET key = $2 WHERE position = $1', [position, 'root.b']);
    const [{ before }] = await db.query(
      "SELECT entries AS before FROM log_blocks WHERE pass = 1 AND partition = 'default'",
    );
    // Laid again over the changed event, as if it had always been so.
    await db.query('DELETE FROM log_blocks WHERE pass = 1');
    await db.query("UPDATE log_chain SET pass = 0, transaction_id = '0', position = 0");
    await db.query('ALTER TABLE log_blocks DISABLE TRIGGER ALL');
    await db.query('CREATE TEMP TABLE kept AS SELECT * FROM log_blocks');
    await db.query('DELETE FROM log_blocks');
    await layBlocks(db, by, 4);
    await db.query('INSERT INTO log_blocks SELECT * FROM kept');
    await db.query('DROP TABLE kept');
    const [{ after }] = await db.query(
      "SELECT entries AS after FROM log_blocks WHERE pass = 1 AND partition = 'default'",
    );
    expect(after).not.toEqual(before);
    expect(await faults()).toMatchObject([
      {
        kind: 'broken-chain',
        partition: 'default',
        message: 'block 2 of the chain does not have the hash of its content and of the block before it',
      },
    ]);
  });

  it.each([
    ['in the middle', 2, 'the blocks of events before position '],
    ['at the end', 3, 'the blocks of passes 3 to 3 are missing, up to position '],
  ])('find blocks that are missing %s', async (_where, pass, message) => {
    await db.query('DELETE FROM log_blocks WHERE pass = $1', [pass]);
    const found = await faults();
    expect(found.map(({ kind }) => kind)).not.toContain('added');
    expect(found.map((fault) => fault.message)).toContainEqual(expect.stringContaining(message));
  });

  it('count no event twice that two processes lay at once', async () => {
    await db.query("UPDATE log_chain SET pass = 0, transaction_id = '0', position = 0, lease_until = NULL");
    await db.query('DELETE FROM log_blocks');
    const results = await Promise.all([
      layBlocks(db, by),
      layBlocks(db, randomUUID()),
      layBlocks(db, randomUUID()),
    ]);
    expect(results.filter((events) => events === 10)).toHaveLength(1);
    expect(await faults()).toEqual([]);
  });
});
