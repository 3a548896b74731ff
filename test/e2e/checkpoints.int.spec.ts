import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { append, Checkpoints, layBlocks, verifyLog } from '#event-store';
import { sendLine } from '#messaging/kafka';
import { SigningKey } from '#platform';
import { SendCheckpoints } from '../../apps/console/src/chain/send-checkpoints.js';
import { readCheckpoints } from '../../apps/curtail/src/cli/input/checkpoints.js';
import { marker, markers } from '../support/events.js';
import { kafkaBrokers } from '../support/kafka.js';
import { withMigratedDatabase } from '../support/migrated-database.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-checkpoints-'));
});
afterAll(() => rm(folder, { recursive: true }));

const by = randomUUID();
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = SigningKey.of(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
const silent = pino({ level: 'silent' });

async function record(stream: string): Promise<void> {
  await db.transaction((tx) => append(tx, [markers(stream, 0, marker('1'), marker('2'))]));
  expect(await layBlocks(db, by)).toBe(2);
}

const faultsAgainst = async (path: string) => {
  const read = await readCheckpoints(path, join(folder, 'key.pem'));
  const compared = new Checkpoints(read.checkpoints);
  const page = await verifyLog(db, 0);
  expect(page.faults).toEqual([]);
  return [...read.faults, ...page.blocks.flatMap((block) => compared.compare(block)), ...compared.unmet()];
};

describe('checkpoints of the log', () => {
  it('go to a file and a topic, and show a log that was replaced with its whole chain', async () => {
    const file = join(folder, 'checkpoints.jsonl');
    const topic = `checkpoints-${randomUUID()}`;
    const kafka = new kafkajs.Kafka({ brokers: kafkaBrokers(), logLevel: kafkajs.logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
    const place = { file, topic, everyMinutes: 10, key };
    const checkpoints = new SendCheckpoints(
      db,
      place,
      (to, line) => sendLine({ brokers: kafkaBrokers(), clientId: 'test' }, to, line),
      silent,
    );
    await record('control-1');
    expect(await checkpoints.send()).toBe(true);
    // Nothing is new.
    expect(await checkpoints.send()).toBe(true);
    await record('control-2');
    expect(await checkpoints.send()).toBe(true);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(
      lines.map((line) => JSON.parse(line).checkpoint.heads.map((head: { block: number }) => head.block)),
    ).toEqual([[1], [2]]);
    expect((await admin.fetchTopicOffsets(topic)).map(({ offset }) => offset)).toEqual(['2']);
    await admin.deleteTopics({ topics: [topic] });
    await admin.disconnect();

    await writeFile(join(folder, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    expect(await faultsAgainst(file)).toEqual([]);

    // The event is changed, and the chain laid again over it.
    await db.query("UPDATE events SET key = 'root.b' WHERE stream = 'control-2' AND version = 2");
    await db.query('DELETE FROM log_blocks');
    await db.query("UPDATE log_chain SET pass = 0, transaction_id = '0', position = 0");
    await layBlocks(db, by, 2);
    await layBlocks(db, by, 2);
    expect(await faultsAgainst(file)).toMatchObject([
      { kind: 'other-checkpoint', message: expect.stringContaining('block 2 of the chain is not the one') },
    ]);

    // A checkpoint that was changed with it.
    const [{ hash }] = await db.query("SELECT encode(hash, 'hex') AS hash FROM log_blocks WHERE block = 2");
    const forged = lines[1]!.replace(JSON.parse(lines[1]!).checkpoint.heads[0].hash, hash);
    await writeFile(file, `${lines[0]}\n${forged}\n`);
    expect(await faultsAgainst(file)).toMatchObject([
      { kind: 'other-checkpoint', message: expect.stringContaining('does not have a signature of this key') },
    ]);

    // The log was cut off.
    await writeFile(file, lines.map((line) => `${line}\n`).join(''));
    await db.query("DELETE FROM events WHERE stream = 'control-2'");
    await db.query('DELETE FROM log_blocks WHERE block = 2');
    await db.query(
      'UPDATE log_chain SET (pass, transaction_id, position) = (SELECT pass, transaction_id, position FROM log_blocks)',
    );
    expect(await faultsAgainst(file)).toMatchObject([
      { kind: 'other-checkpoint', message: expect.stringContaining('is missing: the log was cut off') },
    ]);
  });

  it('are written again where a place was away', async () => {
    const file = join(folder, 'away', 'checkpoints.jsonl');
    const checkpoints = new SendCheckpoints(db, { file, everyMinutes: 10, key }, null, silent);
    await record('control-3');
    expect(await checkpoints.send()).toBe(false);
    await mkdir(join(folder, 'away'));
    expect(await checkpoints.send()).toBe(true);
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(2);
  });
});
