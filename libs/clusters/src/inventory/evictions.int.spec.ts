import type { EventData } from '@curtail/contracts';
import { openDatabase, readStream } from '@curtail/event-store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openGate } from '../../../../test/support/open-gate.js';
import { deliver, inbound } from '../../../../test/support/reporting-platform.js';
import { AnswerBell } from './answer-bell.js';
import { EvictionAnswers } from './eviction-answers.js';
import { EvictionRequests, NoAnswer } from './eviction-requests.js';
import { InventoryCluster } from './inventory-cluster.js';
import { InventoryReports } from './inventory-reports.js';

type Answer = EventData<'EvictionAnswered'>;

const partition = 'default';

describe('evictions that a platform is asked for', () => {
  let server: TestDatabase;
  let db: DataSource;
  let cluster: InventoryCluster;
  let answers: EvictionAnswers;
  let number = 0;
  let evictionId: string;
  // Long where an answer comes, so that a slow machine is not taken for a silent platform.
  const patience = { answerSeconds: 60 };

  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    const bell = new AnswerBell();
    answers = new EvictionAnswers(db, bell);
    const requests = new EvictionRequests(db, bell, patience);
    cluster = new InventoryCluster(db, requests, { staleSeconds: 60 });
  });
  afterAll(async () => {
    await db?.destroy();
    await server?.drop();
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

  const evict = () =>
    cluster.evict(
      {
        partition,
        allocation: 'a',
        graceSeconds: 7,
        evictionId,
        fencingToken: 1,
        reason: 'The quota was lowered.',
      },
      openGate,
    );
  /** Asks for the eviction of a victim of which the platform says nothing. */
  const evictInVain = async (answerSeconds = 0.3) => {
    patience.answerSeconds = answerSeconds;
    try {
      await expect(evict()).rejects.toThrow(NoAnswer);
    } finally {
      patience.answerSeconds = 60;
    }
  };
  const isAsked = async (times: number) => {
    while ((await asked()).length < times) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const say = (answer: Answer) =>
    deliver(db, answers, [inbound({ name: 'EvictionAnswered', data: answer }, new Date())]);
  const asked = async () => {
    const events = await readStream(db, `eviction-${evictionId}`);
    return events.map(({ data }) => data as EventData<'EvictionRequested'>);
  };
  const state = async () => (await cluster.allocation(partition, 'a'))?.state;

  it('say all that the platform has to know, and by when', async () => {
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
      reason: 'The quota was lowered.',
    });
    expect(Date.parse(request!.deadlineAt)).toBeLessThanOrEqual(Date.now());
  });

  it('are asked for again under the same id when nobody has answered in time', async () => {
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
    await say({ evictionId, attempt: 2, answer: 'refused', retryable: false, code: 'no', message: 'No.' });
    await second;
    expect(await cluster.openUntil(evictionId)).toBeUndefined();
  });

  it('are on their way when the answer was late: nobody asks a third time', async () => {
    await evictInVain();
    await say({ evictionId, attempt: 1, answer: 'accepted' });
    expect(await state()).toBe('releasing');
    expect(await evict()).toEqual({ kind: 'accepted', repeated: true });
    expect(await asked()).toHaveLength(1);
  });

  it('take a refusal for the attempt that it was meant for, and no other', async () => {
    await evictInVain();
    const second = evictInVain(3);
    await isAsked(2);
    await say({ evictionId, attempt: 1, answer: 'refused', retryable: false, code: 'no', message: 'No.' });
    await second;
  });

  it('give on what the platform refuses, for the moment or for good', async () => {
    const answer = evict();
    await isAsked(1);
    const refused = { retryable: true, code: 'budget', message: 'Later.', retryAfterMs: 500 } as const;
    await say({ evictionId, attempt: 1, answer: 'refused', ...refused });
    expect(await answer).toEqual({ kind: 'refused', ...refused });
    expect(await state()).toBe('running');
  });

  it('find out that the victim has gone before its release is reported', async () => {
    const answer = evict();
    await isAsked(1);
    await say({ evictionId, attempt: 1, answer: 'gone' });
    expect(await answer).toEqual({ kind: 'gone' });
    expect(await state()).toBeUndefined();
  });

  it('stay accepted when a listing from before still has the victim running', async () => {
    const answer = evict();
    await isAsked(1);
    await say({ evictionId, attempt: 1, answer: 'accepted' });
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
    await expect(say({ evictionId: 'nobody', attempt: 1, answer: 'accepted' })).rejects.toMatchObject({
      path: 'evictionId',
    });
  });

  it('are announced to the platform before, for those that still stand', async () => {
    const killAt = new Date('2026-11-21T10:00:15.000Z');
    const of = { partition, application: 'app', queue: 'root.a', killAt, reason: 'Another one waits.' };
    await cluster.announce([
      { ...of, allocation: 'a', uid: `uid-${number}` },
      { ...of, allocation: 'a', uid: 'another incarnation' },
      { ...of, allocation: 'gone by now' },
    ]);
    const rows: { key: string; topic: string; data: object }[] = await db.query(
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
