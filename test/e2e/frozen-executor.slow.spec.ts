import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import type { TestPartition } from '../support/test-partition.js';

const twenty = { memory: 20 };

/**
 * Two processes share a database. One orders an eviction, and is frozen before it can ask the cluster for it, for longer than its
 * hold and its turn last. They are ended here as the server ends them, so that the test need not wait for a minute.
 */
describe('an executor that is frozen between its order and the request', () => {
  let database: TestDatabase;
  let folder: CurtailFolder;
  let other: EmbeddedSystem;
  let frozen: CurtailProcess;
  let resume: () => void;
  let partition: TestPartition;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    other = await EmbeddedSystem.start({}, database);
    resume = other.pauseExecutor();
    folder = await CurtailFolder.create();
    ({ curtail: frozen } = await folder.start({
      environment: {
        DATABASE_URL: database.url,
        CURTAIL_APPROVE_ABOVE_PERCENT: '100',
        CURTAIL_TEST_CRASH_AT: JSON.stringify({
          moment: 'after commit',
          all: ['io.curtail.victim.ordered.v1'],
          signal: 'SIGSTOP',
        }),
      },
      preload: ['test/support/crash-at.mjs'],
    }));
    partition = other.partition();
    await partition.run({ queue: 'root.a', count: 5, resources: twenty });
  });
  afterAll(async () => {
    await folder?.remove();
    await other?.stop();
    await database?.drop();
  });

  const kills = () => other.db.query('SELECT allocation FROM simulated_evictions');
  const isFrozen = async () => {
    const state = await readFile(`/proc/${frozen.pid}/stat`, 'utf8');
    return state.slice(state.lastIndexOf(')')).startsWith(') T');
  };

  it('requests nothing when it continues, after a stop was set and another one has spared the victim', async () => {
    await partition.configure({ a: { max: { memory: 80 }, delay: '20ms' } });
    const { data: ordered } = await partition.event('VictimOrdered', 'root.a');
    await other.until('the process to be frozen', isFrozen);
    await other.request('POST', '/v1/kill-switch', { partition: partition.name, by: 'ada' });

    await other.db.query("UPDATE runs SET lease_until = now() - interval '1 second'");
    await other.db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    resume();
    expect((await partition.event('VictimSpared', 'root.a')).data).toMatchObject({
      allocation: ordered.allocation,
      code: 'stopped',
    });
    expect((await partition.ended('root.a')).data).toMatchObject({
      outcome: 'stopped',
      evicted: 0,
      spared: 1,
    });
    expect(await kills()).toEqual([]);

    process.kill(frozen.pid, 'SIGCONT');
    const withheld = /Did not request an eviction/;
    await other.until(
      'the frozen process to have tried',
      async () => withheld.test(frozen.output) || ((await kills()) as unknown[]).length > 0,
    );
    expect(await kills()).toEqual([]);
    expect(await partition.remaining()).toHaveLength(5);
  });
});
