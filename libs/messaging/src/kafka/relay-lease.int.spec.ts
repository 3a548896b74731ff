import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { publishedUpTo, RelayLease, RelayLeaseLost } from './relay-lease.js';

const destination = 'kafka/c1/';
const at = (position: number) => ({ transactionId: '1000', position: String(position) });

describe('the lease of a relay', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  const candidate = (name: string) => new RelayLease(db, { destination, name, leaseMs: 60_000 });

  it('is given up at the published place, which may not be recorded yet', async () => {
    const lease = candidate('a');
    await lease.take();
    lease.published(at(5));
    await lease.giveUp();
    expect(await publishedUpTo(db, destination)).toEqual(at(5));
    const next = candidate('b');
    expect(await next.take()).toBe(true);
    expect(next.place).toEqual(at(5));
    await next.giveUp();
  });

  it('records by itself the last of the places that were published one after the other, once', async () => {
    await db.query('CREATE TABLE recorded (position bigint)');
    await db.query(`CREATE FUNCTION note_place() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO recorded VALUES (NEW.position); RETURN NEW; END $$`);
    await db.query(
      'CREATE TRIGGER noted AFTER UPDATE OF position ON relays FOR EACH ROW EXECUTE FUNCTION note_place()',
    );
    const lease = candidate('a');
    await lease.take();
    for (const position of [6, 7, 8]) lease.published(at(position));
    const recorded = () => db.query<{ position: string }[]>('SELECT position FROM recorded');
    while ((await recorded()).length === 0) await delay(20);
    expect(await recorded()).toEqual([{ position: '8' }]);
    await lease.giveUp();
    await db.query('DROP TRIGGER noted ON relays');
  });

  it('does not skip what follows in a database that was set back to an earlier moment', async () => {
    const lease = candidate('a');
    await lease.take();
    lease.published(at(500));
    await lease.prolong();
    await db.query('UPDATE relays SET position = 300');
    await expect(lease.prolong()).rejects.toThrow(RelayLeaseLost);
    await lease.giveUp();
    expect(await publishedUpTo(db, destination)).toEqual(at(300));
    expect(await lease.take()).toBe(true);
    expect(lease.place).toEqual(at(300));
    await lease.giveUp();
  });
});
