import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type DomainEvent, type EventData, sourceOfCluster } from '#contracts';
import { databaseTime, readStream } from '#event-store';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { openGate } from '../../../../test/support/open-gate.js';
import { deliver, inbound } from '../../../../test/support/reporting-platform.js';
import { acceptedEvictions } from './accepted-evictions.js';
import { AnswerWakeUps } from './answer-wake-ups.js';
import { EvictionAnswers } from './eviction-answers.js';
import { EvictionRequests, EvictionUnanswered } from './eviction-requests.js';
import { InventoryCluster } from './inventory-cluster.js';
import { InventoryReports } from './inventory-reports.js';

type Answer = EventData<'EvictionAnswered'>;

const partition = 'default';

describe('evictions that a platform is asked for', () => {
  let db: DataSource;
  let cluster: InventoryCluster;
  let answers: EvictionAnswers;
  let number = 0;
  let evictionId: string;
  // Long where an answer comes, so that a slow machine is not taken for a silent platform.
  const patience = { answerSeconds: 60 };

  withMigratedDatabase((opened) => {
    db = opened;
    const wakeUps = new AnswerWakeUps();
    answers = new EvictionAnswers(db, wakeUps);
    const requests = new EvictionRequests(db, wakeUps, patience);
    cluster = new InventoryCluster(db, requests, { staleSeconds: 60 });
  });
  beforeEach(async () => {
    patience.answerSeconds = 60;
    evictionId = `run-1-${++number}`;
    const allocation = {
      application: 'app',
      queue: 'root.a',
      resources: {},
      startedAt: '2026-11-21T09:00:00Z',
    };
    await deliver(db, new InventoryReports(), [
      inbound(
        {
          name: 'InventoryListed',
          data: {
            partition,
            sequence: number,
            page: 1,
            last: true,
            allocations: [{ id: 'a', uid: `uid-${number}`, ...allocation }],
          },
        },
        new Date(),
      ),
    ]);
  });

  const takenAt = '2026-11-21T10:00:00.000Z';
  const evict = () =>
    cluster.evict(
      {
        partition,
        allocation: 'a',
        graceSeconds: 7,
        evictionId,
        fencingToken: 1,
        reason: 'The quota was lowered.',
        basis: { takenAt, quota: { queue: 'root.a', max: { memory: 5 } } },
      },
      openGate,
    );
  /** Requests the eviction of a victim that the platform does not answer for. */
  const evictInVain = async (answerSeconds = 0.3) => {
    patience.answerSeconds = answerSeconds;
    try {
      await expect(evict()).rejects.toThrow(EvictionUnanswered);
    } finally {
      patience.answerSeconds = 60;
    }
  };
  const isAsked = async (times: number) => {
    while ((await asked()).length < times) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const deliverAnswer = (answer: Answer) =>
    deliver(db, answers, [inbound({ name: 'EvictionAnswered', data: answer }, new Date())]);
  const asked = async () => {
    const events = await readStream(db, `eviction-${evictionId}`);
    return events.map(({ data }) => data as EventData<'EvictionRequested'>);
  };
  const state = async () => (await cluster.allocation(partition, 'a'))?.state;

  it('are not answered by an agent of another cluster, which does not find the allocation', async () => {
    await db.query("UPDATE inventory_partitions SET cluster = 'first'");
    try {
      await evictInVain();
      const gone: Answer = { evictionId, attempt: 1, answer: 'gone' };
      const sayFrom = (cluster: string) =>
        deliver(db, answers, [
          {
            ...inbound({ name: 'EvictionAnswered', data: gone }, new Date()),
            source: sourceOfCluster(cluster, 'agents/one'),
          },
        ]);
      await sayFrom('second');
      expect(await state()).toBe('running');
      await sayFrom('first');
      expect(await state()).toBeUndefined();
    } finally {
      await db.query('UPDATE inventory_partitions SET cluster = NULL');
    }
  });

  it('are known with their grace period once they are accepted, until the allocation is gone', async () => {
    const accepted = () => acceptedEvictions(db, partition);
    await evictInVain();
    expect(await accepted()).toEqual([]);
    await deliverAnswer({ evictionId, attempt: 1, answer: 'accepted' });
    expect(await accepted()).toEqual([{ allocation: 'a', graceSeconds: 7 }]);
    await deliver(db, new InventoryReports(), [
      inbound(
        {
          name: 'AllocationReleased',
          data: { partition, sequence: number + 1, id: 'a', uid: `uid-${number}` },
        },
        new Date(),
      ),
    ]);
    expect(await accepted()).toEqual([]);
  });

  it('carry everything that the platform needs, with a deadline', async () => {
    await evictInVain();
    const [request] = await asked();
    expect(request).toEqual({
      partition,
      queue: 'root.a',
      application: 'app',
      allocation: 'a',
      uid: `uid-${number}`,
      evictionId,
      attempt: 1,
      fencingToken: 1,
      graceSeconds: 7,
      deadlineAt: expect.any(String),
      validSeconds: 0.3,
      reason: 'The quota was lowered.',
      takenAt,
      quota: { queue: 'root.a', max: { memory: 5 } },
    });
    expect(Date.parse(request!.deadlineAt)).toBeLessThanOrEqual(Date.now());
  });

  it('are requested again under the same id when no answer arrives in time', async () => {
    await evictInVain();
    await evictInVain();
    expect((await asked()).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('may be carried out until they are answered, or their time to answer is over', async () => {
    expect(await cluster.openUntil(evictionId)).toBeUndefined();
    const first = evictInVain(3);
    await isAsked(1);
    expect(await cluster.openUntil(evictionId)).toEqual(new Date((await asked())[0]!.deadlineAt));
    await first;
    expect(await cluster.openUntil(evictionId)).toBeUndefined();
    const second = evict();
    await isAsked(2);
    expect(await cluster.openUntil(evictionId)).toEqual(new Date((await asked())[1]!.deadlineAt));
    await deliverAnswer({
      evictionId,
      attempt: 2,
      answer: 'refused',
      retryable: false,
      code: 'no',
      message: 'No.',
    });
    await second;
    expect(await cluster.openUntil(evictionId)).toBeUndefined();
  });

  it('are accepted by a late answer: there is no third request', async () => {
    await evictInVain();
    await deliverAnswer({ evictionId, attempt: 1, answer: 'accepted' });
    expect(await state()).toBe('releasing');
    expect(await evict()).toEqual({ kind: 'accepted', repeated: true });
    expect(await asked()).toHaveLength(1);
  });

  it('are requested again where the victim leaves without an answer: who ended it, only the platform knows', async () => {
    await evictInVain();
    const victim = { id: 'a', uid: `uid-${number}`, application: 'app', queue: 'root.a', resources: {} };
    const leaving = { ...victim, startedAt: '2026-11-21T09:00:00Z', state: 'releasing' } as const;
    await deliver(db, new InventoryReports(), [
      inbound(
        { name: 'AllocationStarted', data: { partition, sequence: number + 1000, ...leaving } },
        new Date(),
      ),
    ]);
    const second = evict();
    await isAsked(2);
    await deliverAnswer({ evictionId, attempt: 2, answer: 'gone' });
    expect(await second).toEqual({ kind: 'gone' });
  });

  it('take a refusal for the attempt that it was meant for, and no other', async () => {
    await evictInVain();
    const second = evictInVain(3);
    await isAsked(2);
    await deliverAnswer({
      evictionId,
      attempt: 1,
      answer: 'refused',
      retryable: false,
      code: 'no',
      message: 'No.',
    });
    await second;
  });

  it('take the first answer of several that come together, and for the allocation the first that ends it', async () => {
    const answer = evict();
    await isAsked(1);
    const of = { evictionId, attempt: 1 };
    const sent: Answer[] = [
      { ...of, attempt: 7, answer: 'refused', retryable: false, code: 'no', message: 'Of another attempt.' },
      { ...of, answer: 'refused', retryable: false, code: 'no', message: 'No.' },
      { ...of, answer: 'accepted' },
      { ...of, answer: 'gone' },
    ];
    await deliver(
      db,
      answers,
      sent.map((data) => inbound({ name: 'EvictionAnswered', data }, new Date())),
    );
    expect(await answer).toMatchObject({ kind: 'refused', message: 'No.' });
    // Accepted after all: it is leaving, and has not gone.
    expect(await state()).toBe('releasing');
  });

  it('give on what the platform refuses, for the moment or for good', async () => {
    const answer = evict();
    await isAsked(1);
    const refused = { retryable: true, code: 'budget', message: 'Later.', retryAfterMs: 500 } as const;
    await deliverAnswer({ evictionId, attempt: 1, answer: 'refused', ...refused });
    expect(await answer).toEqual({ kind: 'refused', ...refused });
    expect(await state()).toBe('running');
  });

  it('find out that the victim has gone before its release is reported', async () => {
    const answer = evict();
    await isAsked(1);
    await deliverAnswer({ evictionId, attempt: 1, answer: 'gone' });
    expect(await answer).toEqual({ kind: 'gone' });
    expect(await state()).toBeUndefined();
  });

  describe('answered with another incarnation', () => {
    const sizes = { memory: 20 };
    const report = (event: DomainEvent) => deliver(db, new InventoryReports(), [inbound(event, new Date())]);
    const allocation = (uid: string, resources: object = sizes) => ({
      ...{ id: 'a', uid, application: 'app', queue: 'root.a', resources },
      startedAt: '2026-11-21T09:00:00Z',
    });
    const started = (sequence: number, uid: string, resources?: object) =>
      report({
        name: 'AllocationStarted',
        data: { partition, sequence, ...allocation(uid, resources) },
      } as DomainEvent);
    const listed = (sequence: number, uids: string[]) =>
      report({
        name: 'InventoryListed',
        data: { partition, sequence, page: 1, last: true, allocations: uids.map((uid) => allocation(uid)) },
      } as DomainEvent);
    const used = async () => {
      const usage = (await cluster.usage(partition, ['root.a'])).get('root.a');
      return [usage?.usage.memory ?? 0, usage?.inFlight.memory ?? 0];
    };
    const now = async () => {
      const found = await cluster.allocation(partition, 'a');
      return found && [found.uid, found.state];
    };
    let victim: string;
    let replacement: string;

    beforeEach(async () => {
      [victim, replacement] = [`uid-${number}`, `new-${number}`];
      await started(number + 100, victim);
    });
    afterEach(() => db.query('TRUNCATE inventory_partitions, inventory_allocations, inventory_usage'));

    const answered = async () => {
      const answer = evict();
      await isAsked(1);
      await deliverAnswer({ evictionId, attempt: 1, answer: 'other-incarnation', uid: replacement });
      expect(await answer).toEqual({ kind: 'other-incarnation', uid: replacement });
    };

    it('count the new one as usage, as large as the victim, until a report names it', async () => {
      const before = await databaseTime(db);
      await answered();
      expect([await now(), await used()]).toEqual([
        [replacement, 'running'],
        [20, 0],
      ]);
      const found = await cluster.allocation(partition, 'a');
      // Nobody has told when it started: it is taken for young.
      expect(Date.parse(found!.startedAt)).toBeGreaterThanOrEqual(before.getTime());
      expect(found).not.toHaveProperty('node');
      await started(number + 101, replacement, { memory: 7 });
      expect(await used()).toEqual([7, 0]);
    });

    it('count it until a listing does not have it', async () => {
      await answered();
      await listed(number + 101, []);
      expect([await now(), await used()]).toEqual([undefined, [0, 0]]);
    });

    it('count it until its release is reported', async () => {
      await answered();
      await report({
        name: 'AllocationReleased',
        data: { partition, sequence: number + 101, id: 'a', uid: replacement },
      });
      expect([await now(), await used()]).toEqual([undefined, [0, 0]]);
    });

    it('count it, whatever a report from before says of the victim', async () => {
      await answered();
      await started(number + 101, victim);
      expect([await now(), await used()]).toEqual([
        [replacement, 'running'],
        [20, 0],
      ]);
      await listed(number + 102, [victim]);
      expect([await now(), await used()]).toEqual([
        [replacement, 'running'],
        [20, 0],
      ]);
      await listed(number + 103, [replacement]);
      expect(await used()).toEqual([20, 0]);
    });

    it('count it where the release of the victim was reported before the answer', async () => {
      const answer = evict();
      await isAsked(1);
      await report({
        name: 'AllocationReleased',
        data: { partition, sequence: number + 101, id: 'a', uid: victim },
      });
      await deliverAnswer({ evictionId, attempt: 1, answer: 'other-incarnation', uid: replacement });
      await answer;
      expect(await used()).toEqual([20, 0]);
    });

    it.each<[string, boolean, number[]]>([
      ['runs', false, [5, 0]],
      ['has ended', true, [0, 0]],
    ])('believe a report before the answer, by which the new one %s', async (_what, hasEnded, expected) => {
      const answer = evict();
      await isAsked(1);
      await started(number + 101, replacement, { memory: 5 });
      if (hasEnded)
        await report({
          name: 'AllocationReleased',
          data: { partition, sequence: number + 102, id: 'a', uid: replacement },
        });
      await deliverAnswer({ evictionId, attempt: 1, answer: 'other-incarnation', uid: replacement });
      await answer;
      expect(await used()).toEqual(expected);
    });
  });

  it('stay accepted when a listing from before still has the victim running', async () => {
    const answer = evict();
    await isAsked(1);
    await deliverAnswer({ evictionId, attempt: 1, answer: 'accepted' });
    expect(await answer).toEqual({ kind: 'accepted', repeated: false });
    await deliver(db, new InventoryReports(), [
      inbound(
        {
          name: 'AllocationStarted',
          data: {
            partition,
            sequence: number + 1000,
            id: 'a',
            uid: `uid-${number}`,
            application: 'app',
            queue: 'root.a',
            resources: {},
            startedAt: '2026-11-21T09:00:00Z',
            state: 'running',
          },
        },
        new Date(),
      ),
    ]);
    expect(await state()).toBe('releasing');
    await db.query('TRUNCATE inventory_partitions, inventory_allocations, inventory_usage');
  });

  it('refuse an answer to what was never asked, with the field', async () => {
    await expect(
      deliverAnswer({ evictionId: 'unknown', attempt: 1, answer: 'accepted' }),
    ).rejects.toMatchObject({
      path: 'evictionId',
    });
  });

  it('have a deadline by the clock of the database, whatever the machine takes for the time', async () => {
    const wrong = jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2031-01-01T00:00:00Z'));
    const before = await databaseTime(db);
    try {
      await evictInVain();
    } finally {
      wrong.mockRestore();
    }
    const [request] = await asked();
    const validMs = Date.parse(request!.deadlineAt) - before.getTime();
    expect(validMs).toBeGreaterThanOrEqual(300);
    expect(validMs).toBeLessThan(60_000);
  });

  it('without an answer count as leaving while they may be carried out, and no longer', async () => {
    const sizes = { memory: 5 };
    await db.query("UPDATE inventory_allocations SET resources = $1 WHERE id = 'a' AND NOT gone", [
      JSON.stringify(sizes),
    ]);
    await db.query(
      `INSERT INTO inventory_applications (partition, id, sequence, gone, queue, gang)
       VALUES ($1, 'app', $2, false, 'root.a', '{"minMembers": 2}')`,
      [partition, number],
    );
    const planned = async () => (await cluster.snapshot({ partition })).allocations.map(({ state }) => state);
    const members = async () => (await cluster.gangs(partition, ['app'])).get('app')?.members;
    expect([await cluster.requested(partition), await planned()]).toEqual([[], ['running']]);
    expect(await members()).toEqual([`uid-${number}`]);
    const first = evictInVain(3);
    await isAsked(1);
    expect(await cluster.requested(partition)).toMatchObject([
      { evictionId, queue: 'root.a', resources: sizes },
    ]);
    expect(await planned()).toEqual(['preempting']);
    expect(await members()).toEqual([]);
    expect(await state()).toBe('running');
    expect(await cluster.unanswered(evictionId)).toBeUndefined();
    await first;
    expect([await cluster.requested(partition), await planned()]).toEqual([[], ['running']]);
    expect(await members()).toEqual([`uid-${number}`]);
    expect(await cluster.unanswered(evictionId)).toMatch(/has not answered run-1-\d+ within 60 s/);
  });

  it('name the clock of a platform that is ahead, when it has not answered', async () => {
    await deliver(db, new InventoryReports(), [
      {
        ...inbound({ name: 'InventoryConfirmed', data: { partition } }, new Date(Date.now() + 600_000)),
        source: '/yarn/prod',
      },
    ]);
    patience.answerSeconds = 0.3;
    await expect(evict()).rejects.toThrow(
      /the clock of \/yarn\/prod \(partition default\) is (599|600) s ahead/,
    );
    await db.query('TRUNCATE inventory_clocks');
  });

  it('stay open for longer where the clock of the platform is behind', async () => {
    await db.query('TRUNCATE inventory_clocks');
    await deliver(db, new InventoryReports(), [
      inbound({ name: 'InventoryConfirmed', data: { partition } }, new Date(Date.now() - 600_000)),
    ]);
    patience.answerSeconds = 0.3;
    // At once: on a slow machine the time is over before what follows.
    const unanswered = expect(evict()).rejects.toThrow(EvictionUnanswered);
    await isAsked(1);
    const deadline = Date.parse((await asked())[0]!.deadlineAt);
    const openUntil = await cluster.openUntil(evictionId);
    expect(openUntil!.getTime() - deadline).toBeGreaterThan(30_000);
    await unanswered;
    expect(await cluster.unanswered(evictionId)).toBeUndefined();
    await db.query('TRUNCATE inventory_clocks');
    expect(await cluster.unanswered(evictionId)).toMatch(/has not answered/);
  });

  it('are lost, each of them, when the commit of several is not confirmed, and stay open', async () => {
    const ids = [evictionId, `${evictionId}-beside`];
    const real = db.transaction.bind(db) as (...words: unknown[]) => Promise<unknown>;
    jest.spyOn(db, 'transaction').mockImplementationOnce((async (...words: unknown[]) => {
      await real(...words);
      throw new Error('the connection was lost');
    }) as never);
    const request = { partition, allocation: 'a', graceSeconds: 7, fencingToken: 1, reason: '' };
    const answers = await Promise.allSettled(
      ids.map((id) => cluster.evict({ ...request, evictionId: id }, openGate)),
    );
    const lost = { status: 'rejected', reason: new Error('the connection was lost') };
    expect(answers).toEqual([lost, lost]);
    for (const id of ids) {
      expect(await cluster.openUntil(id)).toBeInstanceOf(Date);
      expect(await readStream(db, `eviction-${id}`)).toHaveLength(1);
    }
    await db.query('TRUNCATE inventory_evictions');
  });

  it('are announced to the platform before, for those that still stand', async () => {
    const killAt = new Date('2026-11-21T10:00:15.000Z');
    const of = { partition, application: 'app', queue: 'root.a', killAt, reason: 'Another one waits.' };
    await cluster.announce([
      { ...of, allocation: 'a', uid: `uid-${number}` },
      { ...of, allocation: 'a', uid: 'another incarnation' },
      { ...of, allocation: 'gone by now' },
    ]);
    const rows = await db.query<{ key: string; topic: string; data: object }[]>(
      "SELECT key, topic, data FROM events WHERE type = 'io.curtail.eviction.announced.v1'",
    );
    expect(rows).toEqual([
      {
        key: 'root.a',
        topic: 'curtail.evictions.requests',
        data: {
          partition,
          allocation: 'a',
          uid: `uid-${number}`,
          queue: 'root.a',
          application: 'app',
          killAt: killAt.toISOString(),
          reason: 'Another one waits.',
        },
      },
    ]);
  });
});
