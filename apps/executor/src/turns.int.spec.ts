import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openDatabase, type Tx } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Recorded } from '../../../test/support/recorded.js';
import { RunTurns, type Turn } from './turns.js';

const nothing = async () => {};

describe('the turn of a run', () => {
  let test: TestDatabase;
  let database: DataSource;
  let others: DataSource;
  beforeAll(async () => {
    test = await createMigratedDatabase();
    [database, others] = await Promise.all([
      openDatabase(test.url, { applicationName: 'ours' }),
      openDatabase(test.url, { applicationName: 'theirs' }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([database?.destroy(), others?.destroy()]);
    await test?.drop();
  });

  describe.each([
    ['in one process', () => [new RunTurns()]],
    ['in one process that shares the database', () => [new RunTurns(database)]],
    ['in two processes', () => [new RunTurns(database), new RunTurns(others)]],
  ])('%s', (_, make) => {
    let one: RunTurns;
    let two: RunTurns;
    let order: Recorded<string>;
    beforeEach(() => {
      const made = make();
      one = made[0]!;
      two = made[1] ?? one;
      order = new Recorded();
    });
    const take = async (turns: RunTurns, name: string, ...queues: string[]): Promise<Turn> => {
      const { turn } = await turns.take('p', queues, nothing);
      order.add(name);
      return turn;
    };

    it('is held by one run at a time in a queue', async () => {
      const first = await take(one, 'first', 'root', 'root.a');
      const second = take(two, 'second', 'root', 'root.b');
      // Time for one that does not wait.
      (await take(one, 'beside', 'root.c')).end();
      (await take(two, 'beside', 'root.d')).end();
      order.add('end of the first');
      first.end();
      (await second).end();
      expect(order.all).toEqual(['first', 'beside', 'beside', 'end of the first', 'second']);
    });

    it('is taken before the read that is sent with it', async () => {
      await database.query('CREATE TABLE IF NOT EXISTS written (turn text)');
      await database.query('TRUNCATE written');
      const read = (tx: Tx | undefined) => (tx ?? database).query('SELECT turn FROM written');
      const first = await one.take('p', ['root'], read);
      const second = two.take('p', ['root'], read);
      // Time for one that does not wait.
      (await two.take('p', ['root.b'], read)).turn.end();
      await database.query("INSERT INTO written VALUES ('first')");
      first.turn.end();
      const { turn, seen } = await second;
      turn.end();
      expect([first.seen, seen]).toEqual([[], [{ turn: 'first' }]]);
    });

    it('is released when the read fails', async () => {
      const failingRead = async () => {
        throw new Error('no');
      };
      await expect(one.take('p', ['root'], failingRead)).rejects.toThrow('no');
      (await two.take('p', ['root'], nothing)).turn.end();
    });

    it('does not wait for turns of other queues, nor of other partitions', async () => {
      const turns = [await take(one, 'a', 'root.a'), await take(two, 'b', 'root.b')];
      turns.push((await two.take('q', ['root.a'], nothing)).turn);
      for (const turn of turns) turn.end();
      expect(order.all).toEqual(['a', 'b']);
    });

    it('ends for all, in whatever order they name queues', async () => {
      const takers = Array.from({ length: 40 }, async (_, i) => {
        const queues = ['root', 'root.a', 'root.b', 'root.c'].filter((_, bit) => (i + 1) & (1 << bit));
        const turn = await take(i % 2 ? one : two, `${i}`, ...(i % 3 ? queues : queues.reverse()));
        await database.query('SELECT 1');
        turn.end();
        turn.end();
      });
      await Promise.all(takers);
      expect(new Set(order.all).size).toBe(40);
    });
  });

  it('is released when its process is gone, and accepts no more writes', async () => {
    const { turn: lost } = await new RunTurns(database).take('p', ['root'], nothing);
    const next = new RunTurns(others).take('p', ['root'], nothing);
    await others.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
       WHERE application_name = 'ours' AND query LIKE '%pg_advisory_lock%'`,
    );
    const { turn } = await next;
    await expect(lost.tx!.query('SELECT 1')).rejects.toThrow();
    lost.end();
    expect(await turn.tx!.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    turn.end();
  });
});
