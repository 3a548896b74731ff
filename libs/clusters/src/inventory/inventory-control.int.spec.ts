import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type DomainEvent, sourceOfCluster } from '#contracts';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { deliver, inbound } from '../../../../test/support/reporting-platform.js';
import { AnswerWakeUps } from './answer-wake-ups.js';
import { EvictionRequests } from './eviction-requests.js';
import { InventoryCluster } from './inventory-cluster.js';
import { InventoryControl } from './inventory-control.js';
import { InventoryReports } from './inventory-reports.js';

const partition = 'default';
const idsUpTo = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);

describe('an inventory whose reports are wrong', () => {
  let db: DataSource;
  let cluster: InventoryCluster;
  let control: InventoryControl;
  /** By the clock of the sender; close to that of the database, which decides who is silent. */
  let now: Date;
  const reports = new InventoryReports();
  withMigratedDatabase((opened) => {
    db = opened;
    const requests = new EvictionRequests(db, new AnswerWakeUps(), { answerSeconds: 1 });
    cluster = new InventoryCluster(db, requests, { staleSeconds: 60 });
    control = new InventoryControl(db, { staleSeconds: 60 });
  });
  beforeEach(async () => {
    now = new Date(Date.now() - 40_000);
    await db.query(
      'TRUNCATE inventory_partitions, inventory_pages, inventory_listings, inventory_nodes, inventory_applications, inventory_allocations, inventory_budgets, inventory_usage, feeds',
    );
  });

  /** Sends each report two seconds after the one before. */
  const receive = async (...events: DomainEvent[]) => {
    for (const event of events) {
      now = new Date(now.getTime() + 2000);
      await deliver(db, reports, [inbound(event, now)]);
    }
  };
  const allocation = (id: string) => ({
    id,
    uid: id,
    application: 'app',
    queue: 'root.a',
    resources: { memory: 1 },
    startedAt: '2026-11-21T09:00:00Z',
  });
  const listed = (sequence: number, ids: string[], page = 1, last = true): DomainEvent => ({
    name: 'InventoryListed',
    data: { partition, sequence, page, last, allocations: ids.map(allocation) },
  });
  const started = (sequence: number, id: string): DomainEvent => ({
    name: 'AllocationStarted',
    data: { partition, sequence, ...allocation(id) },
  });
  const confirmed = (lastSequence?: number): DomainEvent => ({
    name: 'InventoryConfirmed',
    data: { partition, ...(lastSequence === undefined ? {} : { lastSequence }) },
  });
  const running = async () => (await cluster.allocations({ partition, limit: 1000 })).length;
  const why = () =>
    cluster.assertKnown(partition).then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
  const statusOf = async () => {
    const [status] = (await control.status(partition)).items;
    // The reports of these tests carry old times.
    return { ...status!, notices: status!.notices.filter(({ code }) => code !== 'clock-skew') };
  };

  describe('reports of two clusters as one partition', () => {
    const from = async (cluster: string, ...events: DomainEvent[]) => {
      for (const event of events) {
        now = new Date(now.getTime() + 2000);
        await deliver(db, reports, [
          { ...inbound(event, now), source: sourceOfCluster(cluster, 'agents/one') },
        ]);
      }
    };
    const runningIds = async () =>
      (await cluster.allocations({ partition, limit: 1000 })).map(({ id }) => id).sort();

    it('are accepted from the first one only, and a notice shows the others', async () => {
      await from('first', listed(10, idsUpTo(2)));
      await from('second', listed(20, ['b1', 'b2']), started(21, 'b3'), confirmed(21));
      await from('first', started(11, 'a9'), confirmed(11));
      expect(await runningIds()).toEqual(['a0', 'a1', 'a9']);
      expect(await why()).toBeUndefined();
      expect(await statusOf()).toMatchObject({
        known: true,
        newestSequence: 11,
        notices: [
          {
            code: 'other-cluster',
            count: 3,
            message: expect.stringMatching(/^3 reports .* from cluster second, .* belongs to cluster first/),
            remedy: expect.stringMatching(
              /curtail inventory reset --partition default, then restart its agents$/,
            ),
          },
        ],
      });
    });

    it('are counted as ignored, and those of the own cluster as handled', async () => {
      await from('first', listed(1, ['a']), started(2, 'b'));
      await from('second', started(3, 'c'), started(4, 'd'));
      await from('first', listed(9, ['a', 'b']), started(5, 'b'));
      expect(
        await db.query(
          `SELECT source, messages::int, sequence::int, ignored, ignored_at = received_at AS last FROM feeds
           WHERE partition = $1 ORDER BY source`,
          [partition],
        ),
      ).toEqual([
        {
          source: sourceOfCluster('first', 'agents/one'),
          ...{ messages: 4, sequence: 5, ignored: { 'outdated-sequence': 1 }, last: true },
        },
        {
          source: sourceOfCluster('second', 'agents/one'),
          ...{ messages: 2, sequence: 4, ignored: { 'other-cluster': 2 }, last: true },
        },
      ]);
    });

    it('are not planned by quotas of another cluster, until its own are in force', async () => {
      const configuredBy = (name: string | null) =>
        db.query(
          `INSERT INTO partitions (partition, digest, format, body, quota_preemption_enabled, applied_at, version, cluster)
           VALUES ($1, '', 'yunikorn', '', true, now(), 1, $2) ON CONFLICT (partition) DO UPDATE SET cluster = excluded.cluster`,
          [partition, name],
        );
      await from('first', listed(10, ['a']));
      await configuredBy('second');
      expect(await why()).toBe('other-configuration');
      expect(await statusOf()).toMatchObject({
        known: false,
        notices: [
          {
            code: 'other-configuration',
            message: expect.stringMatching(/is from cluster second, .* from cluster first$/),
          },
        ],
      });
      for (const name of ['first', null]) {
        await configuredBy(name);
        expect(await why()).toBeUndefined();
      }
      await db.query('DELETE FROM partitions');
    });

    it('in one batch are not mixed', async () => {
      const of = (name: string, event: DomainEvent) => {
        return { ...inbound(event, now), source: sourceOfCluster(name, 'agents/one') };
      };
      await deliver(db, reports, [of('first', listed(10, ['a'])), of('second', listed(20, ['b']))]);
      expect(await runningIds()).toEqual(['a']);
    });

    it('that names none are taken, as of a platform service', async () => {
      await from('first', listed(10, ['a']));
      await receive(started(11, 'b'));
      expect(await runningIds()).toEqual(['a', 'b']);
    });

    it('are taken from the other one after a reset, and from that one alone', async () => {
      await from('first', listed(10, ['a']));
      await from('second', listed(20, ['b']));
      await db.transaction((tx) => control.reset(tx, partition));
      await from('second', listed(5, ['b']));
      await from('first', listed(30, ['a']));
      expect(await runningIds()).toEqual(['b']);
    });
  });

  describe('a listing that would remove many running allocations', () => {
    beforeEach(() => receive(listed(10, idsUpTo(30))));

    it('is held: everything stays, and nothing is evicted by it', async () => {
      await receive(listed(20, []));
      expect(await running()).toBe(30);
      expect(await why()).toBe('listing-held');
      await expect(cluster.snapshot({ partition })).rejects.toThrow(
        'would remove 30 of 30 running allocations',
      );
      expect(await statusOf()).toMatchObject({
        known: false,
        listedSequence: 10,
        held: { sequence: 20, drops: 30, of: 30, queues: [{ queue: 'root.a', drops: 30 }] },
        notices: [{ code: 'listing-held', since: expect.any(String) }],
      });
    });

    it('is confirmed by a second one, and not by its own repetition', async () => {
      await receive(listed(20, []), listed(20, []));
      expect(await running()).toBe(30);
      await receive(listed(21, []));
      expect([await running(), await why()]).toEqual([0, undefined]);
      expect((await statusOf()).held).toBeNull();
    });

    it('is set aside by a second one that has everything', async () => {
      await receive(listed(20, []), listed(21, idsUpTo(30)));
      expect([await running(), await why()]).toEqual([30, undefined]);
    });

    it('is not confirmed by a second one that lacks others', async () => {
      await receive(listed(20, idsUpTo(15)), listed(21, idsUpTo(30).slice(15)));
      expect([await running(), await why()]).toEqual([30, 'listing-held']);
      expect((await statusOf()).held).toMatchObject({ sequence: 21, drops: 15 });
    });

    it('counts what ran before its first page, not what its pages add', async () => {
      const others = idsUpTo(130).slice(30);
      await receive(listed(20, others.slice(0, 50), 1, false), listed(20, others.slice(50), 2, true));
      expect((await statusOf()).held).toMatchObject({ drops: 30, of: 30 });
    });

    it('is applied when an operator accepts it, with what was reported since', async () => {
      await receive(listed(20, ['a0']), started(22, 'new'));
      const accepted = await db.transaction((tx) => control.accept(tx, partition));
      expect(accepted).toEqual({ sequence: 20, drops: 29, of: 30 });
      expect([await running(), await why()]).toEqual([2, undefined]);
      expect(await db.transaction((tx) => control.accept(tx, partition))).toBeUndefined();
    });

    it('is applied where it removes 30 %', async () => {
      await receive(listed(20, idsUpTo(21)));
      expect([await running(), await why()]).toEqual([21, undefined]);
    });
  });

  it('takes the first listing of a few allocations as it comes', async () => {
    for (let sequence = 1; sequence <= 20; sequence++)
      await deliver(db, reports, [inbound(started(sequence, `a${sequence}`), now)]);
    await receive(listed(30, []));
    expect([await running(), await why()]).toEqual([0, undefined]);
  });

  describe('a sequence that went back', () => {
    it('makes the partition unknown at once, and confirmations do not change that', async () => {
      await receive(listed(100, ['a0']), started(1, 'b'));
      expect(await why()).toBe('sequence-rejected');
      const { lastReportAt } = await statusOf();
      await receive(started(2, 'c'), confirmed());
      expect(await statusOf()).toMatchObject({
        known: false,
        lastReportAt,
        notices: [
          { code: 'sequence-rejected', count: 2, remedy: expect.stringContaining('curtail inventory reset') },
        ],
      });
    });

    it('is stuck when nothing was taken for long', async () => {
      await receive(listed(Number.MAX_SAFE_INTEGER, ['a0']), started(101, 'b'));
      await db.query("UPDATE inventory_partitions SET last_report_at = now() - interval '61 s'");
      expect((await statusOf()).notices.map(({ code }) => code)).toEqual(['sequence-stuck', 'silent']);
    });

    it('is over when the sender continues above it', async () => {
      await receive(listed(100, ['a0']), started(1, 'b'), started(101, 'c'));
      expect(await why()).toBeUndefined();
    });

    it('is forgotten by a reset: the tables stay, and the next whole listing makes the partition known', async () => {
      await receive(listed(Number.MAX_SAFE_INTEGER, ['a0', 'a1']), started(5, 'b'));
      expect(await db.transaction((tx) => control.reset(tx, partition))).toEqual({
        listedSequence: Number.MAX_SAFE_INTEGER,
        newestSequence: Number.MAX_SAFE_INTEGER,
      });
      expect([await running(), await why()]).toEqual([2, 'never-listed']);
      await receive(started(6, 'b'));
      expect([await running(), await why()]).toEqual([3, 'never-listed']);
      await receive(listed(7, ['a0', 'b']));
      expect([await running(), await why()]).toEqual([2, undefined]);
    });

    it('cannot be forgotten where nothing was reported', async () => {
      expect(await db.transaction((tx) => control.reset(tx, 'nowhere'))).toBeUndefined();
    });
  });

  it('misses reports up to what a confirmation names, until they or a listing come', async () => {
    await receive(listed(10, ['a0']), confirmed(12));
    expect(await why()).toBe('reports-missing');
    await receive(listed(13, ['a0']));
    expect(await why()).toBeUndefined();
  });

  it('drops the oldest of many unfinished listings, and reports it until one is complete', async () => {
    await receive(listed(10, ['a0']));
    for (let sequence = 11; sequence <= 16; sequence++) await receive(listed(sequence, [], 1, false));
    const kept = await db.query('SELECT sequence::int FROM inventory_listings ORDER BY sequence');
    expect(kept).toEqual([13, 14, 15, 16].map((sequence) => ({ sequence })));
    expect(await db.query('SELECT count(*)::int FROM inventory_pages')).toEqual([{ count: 4 }]);
    expect(await statusOf()).toMatchObject({ known: true, notices: [{ code: 'listing-dropped', count: 2 }] });
    await receive(listed(17, ['a0']));
    expect((await statusOf()).notices).toEqual([]);
  });

  it('gives up an unfinished listing after an hour', async () => {
    await receive(listed(10, ['a0']), listed(11, [], 1, false));
    await db.query("UPDATE inventory_listings SET began_at = now() - interval '61 min'");
    await receive(listed(12, [], 1, false));
    expect(await db.query('SELECT sequence::int FROM inventory_pages')).toEqual([{ sequence: 12 }]);
  });

  it('is shown with every partition of the configuration, also of those of which nothing was reported', async () => {
    await db.query(
      `INSERT INTO partitions (partition, digest, format, version, quota_preemption_enabled, applied_at, body)
       VALUES ('quiet', '', 'yunikorn', 1, false, now(), '')`,
    );
    await receive(listed(1, []));
    expect((await control.status()).items).toMatchObject([
      { partition: 'default', known: true },
      { partition: 'quiet', known: false, lastReportAt: null, notices: [{ code: 'never-reported' }] },
    ]);
  });
});
