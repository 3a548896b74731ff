import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import type { DataSource } from 'typeorm';
import { append, type Cursor, openDatabase, type Tx, WakeListener } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { marker, markers } from '../../../../test/support/events.js';
import { type LiveBatch, LiveFeed } from './live-feed.js';

let server: TestDatabase;
let db: DataSource;
let wake: WakeListener;
let feed: LiveFeed;
let version = 0;
const ends: (() => void)[] = [];

beforeAll(async () => {
  server = await createMigratedDatabase();
  db = await openDatabase(server.url);
  wake = new WakeListener(server.url);
  await wake.start();
  feed = new LiveFeed(db, wake, pino({ level: 'silent' }));
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});
afterAll(async () => {
  await wake.stop();
  await db.destroy();
  await server.drop();
});

const put = async (tx: Tx, count = 1, partition = 'default') => {
  const events = Array.from({ length: count }, () => marker('ada'));
  const stream = `control-${partition}`;
  await append(tx, [{ ...markers(stream, version, ...events), partition }]);
  version += count;
};
const commit = (count = 1) => db.transaction((tx) => put(tx, count));

/** A page that keeps what it gets. */
class Page {
  readonly batches: LiveBatch[] = [];
  private readonly waits = new Set<() => void>();

  async open(from?: Cursor, of = feed): Promise<this> {
    const end = await of.follow('default', from, (batch) => {
      this.batches.push(batch);
      for (const wait of this.waits) wait();
    });
    ends.push(end);
    return this;
  }

  get versions(): number[] {
    return this.batches.flatMap(({ events }) => events.map((event) => event.version));
  }

  get end(): Cursor {
    return this.batches.at(-1)!.next;
  }

  /** Resolves when it has this version, whatever else it has. */
  async until(last: number): Promise<number[]> {
    await this.wait(() => this.versions.at(-1) === last);
    return this.versions;
  }

  async wait(holds: () => boolean): Promise<void> {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.waits.add(resolve);
      });
    }
  }
}

const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i + 1);

describe('LiveFeed', () => {
  it('gives a page what is committed from now on, in order and once, and says at first where the log ends', async () => {
    await commit(3);
    const begin = version;
    const page = await new Page().open();
    expect(page.batches).toMatchObject([{ events: [] }]);
    for (let i = 0; i < 5; i++) await commit(2);
    expect(await page.until(begin + 10)).toEqual(upTo(begin, begin + 10));
    expect(page.batches.at(-1)!.events[0]).toMatchObject({
      name: 'KillSwitchCleared',
      stream: 'control-default',
      queue: 'root.a',
    });
  });

  it('resumes after the last message, with all that was committed in between and meanwhile', async () => {
    const first = await new Page().open();
    await commit();
    await first.until(version);
    const [from, seen] = [first.end, version];
    ends.pop()!();
    await commit(7);
    const [second] = await Promise.all([new Page().open(from), commit(2).then(() => commit(1))]);
    expect(await second.until(seen + 10)).toEqual(upTo(seen, seen + 10));
  });

  it('gives nothing twice to a page that comes from a process which has read further', async () => {
    const slow = await new Page().open();
    const other = new LiveFeed(db, wake, pino({ level: 'silent' }));
    const seen = version;
    await commit(4);
    // The other one begins here, before the first has read.
    const ahead: LiveBatch[] = [];
    const end = await other.follow('default', slow.end, (batch) => ahead.push(batch));
    end();
    const moved = await new Page().open(ahead[0]!.next);
    await commit();
    expect(await moved.until(seen + 5)).toEqual([seen + 5]);
    expect(await slow.until(seen + 5)).toEqual(upTo(seen, seen + 5));
  });

  it('says that there is a gap, instead of sending thousands of events', async () => {
    const first = await new Page().open();
    const from = first.end;
    ends.pop()!();
    await commit(2001);
    const second = await new Page().open(from);
    expect(second.batches).toMatchObject([{ isGap: true, events: [] }]);
    await commit();
    expect(await second.until(version)).toEqual([version]);
  });

  it('waits for an older transaction, and skips nothing', async () => {
    const page = await new Page().open();
    const begin = version;
    const early = db.createQueryRunner();
    try {
      await early.startTransaction();
      await append(early.manager, [markers('other', 0, marker('late'))]);
      await commit();
      await early.commitTransaction();
    } finally {
      await early.release();
    }
    await page.until(begin + 1);
    expect(page.batches.flatMap(({ events }) => events.map(({ stream }) => stream)).sort()).toEqual([
      'control-default',
      'other',
    ]);
  });

  it('gives a page what was committed while no announcement arrived', async () => {
    const unheard = new LiveFeed(db, new WakeListener(server.url), pino({ level: 'silent' }));
    const page = await new Page().open(undefined, unheard);
    await commit();
    expect(await page.until(version)).toEqual([version]);
  });

  it('makes the events of a batch once for all pages that are where it is', async () => {
    const [one, other] = [await new Page().open(), await new Page().open()];
    await commit(3);
    await Promise.all([one.until(version), other.until(version)]);
    expect(one.batches.at(-1)!.events).toBe(other.batches.at(-1)!.events);
  });

  it('tells a page when the tables behind the answers have followed late', async () => {
    const newest =
      'SELECT transaction_id, position FROM events ORDER BY transaction_id DESC, position DESC LIMIT 1';
    await db.query(
      `INSERT INTO subscriptions (name, transaction_id, position) SELECT 'console', * FROM (${newest}) e`,
    );
    const page = await new Page().open();
    await commit();
    await page.until(version);
    // From its first look at the tables, the feed knows that they are late.
    while (feed.quietMs > 0) await delay(20);
    expect(page.batches.some(({ isLate }) => isLate)).toBe(false);
    const before = feed.timesLate;
    await db.query(`UPDATE subscriptions SET (transaction_id, position) = (${newest})`);
    await page.wait(() => page.batches.at(-1)!.isLate === true);
    expect(page.batches.at(-1)).toEqual({ next: page.batches.at(-2)!.next, events: [], isLate: true });
    expect([feed.timesLate, feed.quietMs > 0]).toEqual([before + 1, true]);
    await db.query('DELETE FROM subscriptions');
  });

  it('keeps partitions apart', async () => {
    const page = await new Page().open();
    const begin = version;
    await db.transaction((tx) => append(tx, [{ ...markers('control-b', 0, marker('ada')), partition: 'b' }]));
    await commit();
    expect(await page.until(begin + 1)).toEqual([begin + 1]);
  });
});
