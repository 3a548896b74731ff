import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type DomainEvent, type EventData } from '#contracts';
import { catalog } from '#contracts/events';
import { append, known, openDatabase, planStream, readStream, runStream } from '#event-store';
import { assertBuilt } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { onOwnKafkaAndRedis } from '../support/service-group.js';
import { ServiceProcess } from '../support/service-process.js';

const ids = { partition: 'p', queue: 'root.a', enforcement: 'e-1' };
const victims = 8000;
/** Enough for an executor, and not for the plan beside it. */
const heapMegabytes = 96;
/** Half of the bytes of a reason: the plan takes some 70 MB, of which no compression saves the half. */
const reasonBytes = 4500;

describe('a run that executors have too little memory for', () => {
  let server: TestDatabase;
  let db: DataSource;
  let last: ServiceProcess<'executor'> | undefined;
  beforeAll(async () => {
    assertBuilt();
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    await db.query(
      `INSERT INTO clocks (partition, queue, version, state, running_enforcement, fencing_token)
       VALUES ('p', 'root.a', 1, '{}', 'e-1', 7)`,
    );
    await db.transaction((tx) =>
      append(tx, [
        {
          ...{ stream: planStream('e-1'), partition: 'p', expectedVersion: 0 },
          events: [{ event: plan(), key: 'root.a' }],
        },
      ]),
    );
  });
  afterAll(async () => {
    await last?.kill();
    await db?.destroy();
    await server?.drop();
  });

  function plan(): DomainEvent {
    const data: EventData<'PlanComputed'> = {
      ...{ ...ids, fencingToken: 7, snapshotDigest: '', planDigest: '', settings: {}, planSeconds: 0 },
      ...{ trigger: { policy: 'quota-decrease', queue: 'root.a' }, takenAt: '2026-01-01T00:00:00.000Z' },
      ...{ max: { memory: 1 }, queueAllocations: victims, queueUsage: { memory: 1 + victims } },
      plan: {
        ...{ apiVersion: 'curtail/v1', kind: 'Plan', policy: 'quota-decrease', queue: 'root.a' },
        ...{ outcome: 'satisfied', target: { memory: victims }, inFlight: {}, claimed: { memory: victims } },
        ...{ shortfall: {}, overshoot: {}, collateral: {}, shares: [], notices: [] },
        victims: Array.from({ length: victims }, (_, i) => ({
          ...{ allocation: `a-${i + 1}`, application: 'app', queue: 'root.a', resources: { memory: 1 } },
          ...{ rank: i + 1, reason: randomBytes(reasonBytes).toString('hex') },
        })),
      },
    };
    return { name: 'PlanComputed', data };
  }

  it('ends with its reason once three of them have ended, and the fourth lives', async () => {
    const environment = {
      ...onOwnKafkaAndRedis(),
      DATABASE_URL: server.url,
      NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
    };
    for (let process = 1; process <= 3; process++) {
      const executor = ServiceProcess.spawn('executor', environment);
      const { code, signal } = await executor.ended;
      expect([code, signal]).not.toEqual([0, null]);
      expect(executor.output).toMatch(/JavaScript heap out of memory/);
    }
    last = ServiceProcess.spawn('executor', environment);
    const end = [runStream('e-1'), catalog.EnforcementEnded.type];
    const isOver = async () =>
      ((await db.query('SELECT FROM events WHERE stream = $1 AND type = $2', end)) as unknown[]).length > 0;
    while (!(await isOver())) {
      if (last.hasEnded) throw new Error(last.output);
      await delay(50);
    }
    const done = (await readStream(db, runStream('e-1'))).map((event) => known(event));
    expect(done).toHaveLength(victims + 1);
    expect(done.at(-1)).toMatchObject({
      name: 'EnforcementEnded',
      data: { outcome: 'failed', spared: victims, evicted: 0, notices: [{ code: 'too-large' }] },
    });
    expect(last.hasEnded).toBe(false);
  });
});
