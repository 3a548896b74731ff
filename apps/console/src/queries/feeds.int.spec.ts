import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { InventoryControl, InventoryReports, noteFeeds, trimFeeds } from '#clusters';
import type { DomainEvent } from '#contracts';
import { inboundTopics } from '#contracts/events';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { deliver, inbound } from '../../../../test/support/reporting-platform.js';
import { Feeds } from './feeds.js';

describe('the senders of reports and configurations', () => {
  let db: DataSource;
  let feeds: Feeds;
  const now = new Date();

  withMigratedDatabase((opened) => {
    db = opened;
    feeds = new Feeds(db, new InventoryControl(db, { staleSeconds: 60 }));
  });
  beforeEach(() =>
    db.query(
      'TRUNCATE feeds, dead_letters, inventory_partitions, inventory_listings, inventory_pages, partitions, configurations, configuration_texts CASCADE',
    ),
  );

  const confirmed = (partition: string, lastSequence: number): DomainEvent => ({
    name: 'InventoryConfirmed',
    data: { partition, lastSequence },
  });
  const listed = (partition: string, sequence: number): DomainEvent => ({
    name: 'InventoryListed',
    data: { partition, sequence, page: 1, last: true },
  });
  const receive = (source: string, ...events: DomainEvent[]) =>
    deliver(
      db,
      new InventoryReports(),
      events.map((event) => ({ ...inbound(event, new Date(now.getTime() - 5000)), source })),
    );
  const letter = (source: string, topic: string = inboundTopics.inventory) =>
    db.query(
      `INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason, source)
       VALUES ($1, gen_random_uuid(), $2, '', '', 'malformed', $3)`,
      [topic === inboundTopics.inventory ? 'inventory' : 'config-ingest', topic, source],
    );
  async function configured(partition: string, version: number, source: string) {
    await db.query("INSERT INTO configuration_texts VALUES ($1, 'd', '{}', now())", [partition]);
    await db.query(
      `INSERT INTO configurations (partition, version, applied_at, via, source, format, digest, quota_preemption_enabled)
       VALUES ($1, $2, now(), 'kafka', $3, 'yunikorn', 'd', true)`,
      [partition, version, source],
    );
    await db.query(
      `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, applied_at, version)
       VALUES ($1, 'd', 'yunikorn', '{}', true, now(), $2)`,
      [partition, version],
    );
    await noteFeeds(db.manager, [
      {
        ...{ partition, kind: 'configuration', source, messages: 1, submission: 's-1' },
        ...{ sentAt: now, ignored: {} },
      },
    ]);
  }

  it('state which sequence and which version of theirs is in force', async () => {
    await receive('/scheduler', listed('default', 7));
    await configured('default', 3, '/scheduler');
    const { items } = await feeds.list({ limit: 100 });
    expect(items).toEqual([
      expect.objectContaining({
        ...{ partition: 'default', kind: 'configuration', source: '/scheduler', submission: 's-1' },
        ...{ inForce: 3, sequence: null, known: null, ignored: [], deadLetters: 0, nextStep: null },
      }),
      expect.objectContaining({
        ...{ partition: 'default', kind: 'inventory', source: '/scheduler', sequence: 7, inForce: 7 },
        ...{ known: true, configured: true, ignored: [], notices: [], messages: 1, submission: null },
      }),
    ]);
    expect(items[1]!.lagSeconds).toBeGreaterThanOrEqual(5);
    expect(Date.parse(items[1]!.receivedAt!) - Date.parse(items[1]!.sentAt!)).toBe(
      items[1]!.lagSeconds! * 1000,
    );
  });

  it('are not said to be in force where the configuration is that of another source', async () => {
    await configured('default', 3, '/scheduler');
    await db.query("UPDATE configurations SET source = '/other'");
    expect((await feeds.list({ limit: 100 })).items).toMatchObject([{ source: '/scheduler', inForce: null }]);
    await db.query("UPDATE configurations SET source = '/scheduler', via = 'http'");
    expect((await feeds.list({ limit: 100 })).items).toMatchObject([{ source: '/scheduler', inForce: null }]);
  });

  it('show what was ignored, missing reports, and partitions without a configuration', async () => {
    await receive('/scheduler', listed('default', 7));
    await receive('/scheduler', listed('default', 5), confirmed('default', 9));
    expect((await feeds.list({ limit: 100 })).items).toMatchObject([
      {
        ...{
          configured: false,
          inForce: 7,
          messages: 3,
          ignored: [{ reason: 'outdated-sequence', count: 1 }],
        },
        notices: [{ code: 'reports-missing' }],
        ignoredAt: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it('have nothing in force where the partition belongs to another cluster', async () => {
    await receive('/clusters/first/agents/a', listed('default', 7));
    await receive('/clusters/second/agents/a', listed('default', 9));
    expect((await feeds.list({ limit: 100 })).items).toMatchObject([
      { source: '/clusters/first/agents/a', sequence: 7, inForce: 7, ignored: [] },
      {
        ...{ source: '/clusters/second/agents/a', sequence: 9, inForce: null },
        ignored: [{ reason: 'other-cluster', count: 1 }],
      },
    ]);
  });

  it('count their dead letters, and are listed if they have nothing else', async () => {
    await receive('/scheduler', listed('default', 7));
    await letter('/scheduler');
    await letter('/scheduler');
    await letter('/scheduler', inboundTopics.submissions);
    await letter('/scheduler', 'curtail.plans');
    expect((await feeds.list({ limit: 100 })).items).toMatchObject([
      {
        ...{ partition: null, kind: 'configuration', source: '/scheduler', deadLetters: 1, messages: 0 },
        ...{ receivedAt: null, nextStep: 'curtail dead-letters list --consumer config-ingest' },
      },
      {
        ...{ partition: 'default', kind: 'inventory', source: '/scheduler', deadLetters: 2 },
        nextStep: 'curtail dead-letters list --consumer inventory',
      },
    ]);
  });

  it('are listed page by page, each once, and by partition', async () => {
    for (const partition of ['a', 'b~c']) await receive('/s', listed(partition, 1));
    await receive('/~s', listed('a', 2));
    await letter('/none');
    const found: string[] = [];
    for (let after: string | undefined; ; ) {
      const { items, next } = await feeds.list({ limit: 1, after });
      found.push(...items.map(({ partition, source }) => `${partition} ${source}`));
      if (next === undefined) break;
      after = next;
    }
    expect(found).toEqual(['null /none', 'a /s', 'a /~s', 'b~c /s']);
    expect((await feeds.list({ limit: 9, partition: 'b~c' })).items).toMatchObject([{ partition: 'b~c' }]);
    await expect(feeds.list({ limit: 1, after: 'a' })).rejects.toThrow('is not a position in this list');
  });

  it('are limited in number for each partition, and forgotten 90 days after their last message', async () => {
    const feed = (partition: string, source: string) => ({
      ...{ partition, kind: 'inventory' as const, source, messages: 1, sentAt: now, ignored: {} },
    });
    await noteFeeds(
      db.manager,
      Array.from({ length: 1000 }, (_, index) => feed('default', `/s-${index}`)),
      new Date(now.getTime() - 91 * 86_400_000),
    );
    await noteFeeds(db.manager, [
      feed('default', '/one-too-many'),
      feed('default', '/s-1'),
      feed('other', '/s'),
    ]);
    const counts = () => db.query('SELECT partition, count(*)::int FROM feeds GROUP BY 1 ORDER BY 1');
    expect(await counts()).toEqual([
      { partition: 'default', count: 1000 },
      { partition: 'other', count: 1 },
    ]);
    expect(await trimFeeds(db, 5000)).toBe(999);
    expect(await counts()).toEqual([
      { partition: 'default', count: 1 },
      { partition: 'other', count: 1 },
    ]);
  });
});
