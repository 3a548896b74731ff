import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { announce, openDatabase, WakeListener } from '#event-store';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Recorded } from '../../../test/support/recorded.js';

describe('WakeListener', () => {
  let server: TestDatabase;
  let db: DataSource;
  let listener: WakeListener;
  let wakes: Recorded<string[]>;
  let errors: Recorded<Error>;
  let unsubscribe: () => void;
  beforeEach(async () => {
    server = await createTestDatabase();
    db = await openDatabase(server.url);
    wakes = new Recorded();
    errors = new Recorded();
    listener = new WakeListener(server.url, (error) => errors.add(error));
    unsubscribe = listener.onWake((topics) => wakes.add(topics));
    await listener.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await listener.stop();
    await db.destroy();
    await server.drop();
  });

  it('is notified of a commit, not of a rollback', async () => {
    await db
      .transaction(async (tx) => {
        announce(tx, ['never']);
        throw new Error('rolled back');
      })
      .catch(() => {});
    await db.transaction(async (tx) => announce(tx, ['curtail.quota', 'curtail.plans']));
    // The first one, without topics, shows that it listens now.
    expect(await wakes.first(2)).toEqual([[], ['curtail.quota', 'curtail.plans']]);
  });

  it('is notified by a statement in the same write as the commit', async () => {
    const writes = jest.spyOn(Socket.prototype as unknown as { _writev(parts: Buffer[]): void }, '_writev');
    await db.transaction(async (tx) => announce(tx, ['one.write']));
    const sent = writes.mock.calls.map(([parts]) => parts.join(''));
    expect(sent.filter((text) => text.includes('COMMIT'))).toEqual([expect.stringContaining('one.write')]);
  });

  it('listens again after its connection was cut, and makes every listener check', async () => {
    await wakes.first(1);
    await db.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'curtail-wake'`,
    );
    expect(await wakes.first(2)).toEqual([[], []]);
    await db.transaction(async (tx) => announce(tx, ['again']));
    expect(await wakes.first(3)).toEqual([[], [], ['again']]);
    expect(errors.all).toHaveLength(1);
  });

  it('is not notified while it has no listener, and makes a later listener check', async () => {
    await wakes.first(1);
    unsubscribe();
    const lastStatement = () =>
      db.query(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'curtail-wake'`,
      );
    while (!/^UNLISTEN/.test((await lastStatement())[0]?.query));
    await db.query(`SELECT pg_notify('curtail_events', 'unheard')`);
    listener.onWake((topics) => wakes.add(topics));
    await wakes.first(2);
    await db.transaction(async (tx) => announce(tx, ['announced']));
    expect(await wakes.first(3)).toEqual([[], [], ['announced']]);
  });

  it('leaves no connection behind when it is stopped while it starts', async () => {
    const other = new WakeListener(server.url);
    const started = other.start();
    await other.stop();
    await started;
    await listener.stop();
    const connected = () =>
      db.query(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'curtail-wake'`,
      );
    while ((await connected()).length > 0);
  });
});
