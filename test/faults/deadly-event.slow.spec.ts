import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { append, openDatabase } from '#event-store';
import { assertBuilt } from '../support/curtail-process.js';
import { createMigratedDatabase } from '../support/database.js';
import { marker, markers } from '../support/events.js';
import { kafkaBrokers, TestKafka } from '../support/kafka.js';
import { Recorded } from '../support/recorded.js';
import { createRecords } from '../support/recorder.js';

const program = fileURLToPath(new URL('../support/deadly-consumer-main.mjs', import.meta.url));

describe('an event with which every process ends', () => {
  const endings: (() => unknown)[] = [];
  beforeAll(assertBuilt);
  afterAll(async () => {
    for (const end of endings.reverse()) await end();
  });

  /** The database and topics of one case. Both cases are concurrent, since they mostly wait for processes to end. */
  async function open(kind: string) {
    const server = await createMigratedDatabase();
    endings.push(() => server.drop());
    const db = await openDatabase(server.url);
    endings.push(() => db.destroy());
    await createRecords(db);
    const kafka = new TestKafka(`${new URL(server.url).pathname.slice(1)}.`, { partitions: 1 });
    endings.push(() => kafka.close());
    if (kind === 'kafka') await kafka.relay(server.url);
    return {
      db,
      kafka,
      startProcess: () => startProcess(server.url, kind === 'kafka' ? kafka.prefix : undefined),
    };
  }

  function startProcess(url: string, prefix: string | undefined) {
    const brokers = prefix === undefined ? '' : kafkaBrokers().join(',');
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--max-old-space-size=64', program, url, brokers, prefix ?? ''],
      { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    const lines = new Recorded<string>();
    createInterface({ input: child.stdout }).on('line', (line) => lines.add(line));
    endings.push(() => child.kill('SIGKILL'));
    return { lines, ended: once(child, 'exit').then(([code, signal]) => String(signal ?? code)) };
  }

  it.concurrent.each([
    ['its memory does not suffice', 'log', /^(SIGABRT|SIGTRAP|134|133)$/],
    ['it is killed', 'kafka', /^SIGKILL$/],
  ])(
    'is put aside by the fourth, also when it is tried again, and all others are handled: %s',
    async (_, kind, end) => {
      const { db, kafka, startProcess } = await open(kind);
      const names = ['a1', 'a2', 'deadly', 'a3', 'a4'];
      await db.transaction((tx) => append(tx, [markers('a', 0, ...names.map((name) => marker(name)))]));
      for (let process = 1; process <= 3; process++) {
        expect(await startProcess().ended).toMatch(end);
        expect(await db.query('SELECT 1 FROM dead_letters')).toEqual([]);
      }
      const fourth = startProcess();
      await fourth.lines.until((line) => line === 'committed a4');
      const letters = await db.query<{ reason: string }[]>('SELECT reason FROM dead_letters');
      expect(letters.map(({ reason }) => reason)).toEqual([
        expect.stringMatching(/^3 processes in a row ended while they handled it/),
      ]);
      const records = await db.query<{ name: string }[]>('SELECT name FROM records ORDER BY nr');
      expect(records.map(({ name }) => name)).toEqual(['a1', 'a2', 'a3', 'a4']);
      expect(await db.query('SELECT * FROM attempts')).toEqual([]);

      await db.query('UPDATE dead_letters SET retry_asked_at = now()');
      for (let process = 1; process <= 3; process++) {
        expect(await (process === 1 ? fourth : startProcess()).ended).toMatch(end);
        // As if the lease of the process that ended were over.
        await db.query('UPDATE subscriptions SET redeliverer_until = NULL');
      }
      // Meanwhile Kafka redelivers all events. The deadly one must not be handled, and the count of its retry must not be reset.
      if (kind === 'kafka') await kafka.moveOffset('one', 'curtail.control', '0');
      const last = startProcess();
      void last.ended.then((how) => last.lines.add(`ended: ${how}`));
      /** @throws once the last process has ended: it must survive. */
      const until = async (sql: string, holds: (rows: unknown[]) => boolean) => {
        while (!holds(await db.query<unknown[]>(sql))) {
          expect(last.lines.all).not.toContainEqual(expect.stringMatching(/^ended: /));
          await delay(50);
        }
      };
      await until('SELECT FROM dead_letters WHERE attempts = 2', (rows) => rows.length === 1);
      expect(await db.query('SELECT attempts, retry_asked_at, reason FROM dead_letters')).toEqual([
        {
          attempts: 2,
          retry_asked_at: null,
          reason: expect.stringMatching(/^3 processes in a row ended while they handled it/),
        },
      ]);
      // The last process may just handle other messages that Kafka delivered again.
      await until('SELECT FROM attempts', (rows) => rows.length === 0);
    },
  );
});
