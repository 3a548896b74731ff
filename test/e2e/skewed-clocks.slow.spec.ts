import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { place } from '#clusters';
import { databaseTime, openDatabase } from '#event-store';
import { until } from '../faults/until.js';
import { CurtailFolder } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { configuration } from '../support/queue-spec.js';
import { onOwnKafkaAndRedis, ServiceGroup } from '../support/service-group.js';
import type { ServiceName } from '../support/service-process.js';
import { skewedBy } from '../support/skewed-by.js';
import { withConstants } from '../support/with-constants.js';

const tenMinutesMs = 600_000;

/** Longer than the lead of a shared wake-up: so the wake-up queue takes part. */
const delayMs = 4000;
const settings = {
  CURTAIL_GRACE_SECONDS: '0',
  CURTAIL_APPROVE_ABOVE_PERCENT: '100',
  // Only a wake-up is in time.
  ...withConstants({ deadlineSeconds: 300, sweepMilliseconds: 60_000 }),
};

/** In NODE_OPTIONS stand both: the other clock, and the other constant. */
const ahead = skewedBy(tenMinutesMs, settings.NODE_OPTIONS);
const behind = skewedBy(-tenMinutesMs, settings.NODE_OPTIONS);

describe('a quota decrease, where the clocks of the processes are wrong by ten minutes', () => {
  let database: TestDatabase;
  let db: DataSource;
  let end: () => Promise<unknown>;
  beforeEach(async () => {
    database = await createMigratedDatabase();
    db = await openDatabase(database.url);
  });
  afterEach(async () => {
    await end();
    await db.destroy();
    await database.drop();
  });

  /** All of it in one process. */
  async function together(environment: Record<string, string>): Promise<string> {
    const folder = await CurtailFolder.create();
    end = () => folder.remove();
    const { url } = await folder.start({
      environment: { ...settings, DATABASE_URL: database.url, ...environment },
    });
    return url;
  }

  async function apart(
    own: Partial<Record<ServiceName, Record<string, string>>>,
    servers: Record<string, string> = {},
  ): Promise<string> {
    const services = await ServiceGroup.start({ ...settings, ...servers, DATABASE_URL: database.url }, own);
    end = () => services.stop();
    return services.of('console').url;
  }

  it.each<[string, () => Promise<string>]>([
    ['one process, ahead', () => together(ahead)],
    ['one process, behind', () => together(behind)],
    [
      'config-ingest and console behind, the timer ahead, the executor behind',
      () => apart({ 'config-ingest': behind, console: behind, timer: ahead, executor: behind }),
    ],
    [
      'the timer behind, planner and executor ahead, with Kafka and Redis',
      () => apart({ timer: behind, planner: ahead, executor: ahead }, onOwnKafkaAndRedis()),
    ],
    ['the timer ahead, with Kafka and Redis', () => apart({ timer: ahead }, onOwnKafkaAndRedis())],
  ])('runs when it is due by the clock of the database: %s', async (_shape, start) => {
    await place(db, 'default', {
      applications: [{ id: 'app', queue: 'root.a' }],
      allocations: [1, 2, 3, 4, 5].map((i) => ({
        id: `app-${i}`,
        application: 'app',
        queue: 'root.a',
        resources: { memory: 20 },
        startedAt: `2026-01-01T00:0${i}:00Z`,
      })),
    });
    const url = await start();
    const began = await databaseTime(db);
    const applied = await fetch(`${url}/v1/partitions/default/config`, {
      method: 'PUT',
      body: JSON.stringify(configuration('default', { a: { max: { memory: 60 }, delay: `${delayMs}ms` } })),
      headers: { 'Content-Type': 'application/json' },
    });
    expect(applied.status).toBe(200);
    const saved = await databaseTime(db);
    await until(
      async () => database.url,
      "SELECT count(*) = 1 FROM events WHERE type = 'io.curtail.enforcement.released.v1'",
      () => 'the run has not ended',
    );
    const ended = await databaseTime(db);

    const within = (from: Date, to: Date, ms = 0) => [from.getTime() + ms, to.getTime() + ms] as const;
    const expectIn = (instant: unknown, [from, to]: readonly [number, number]) => {
      const at = instant instanceof Date ? instant.getTime() : Date.parse(String(instant));
      expect(at).toBeGreaterThanOrEqual(from);
      expect(at).toBeLessThanOrEqual(to);
    };
    const event = async (name: string) => {
      const [row] = await db.query<{ data: Record<string, string> }[]>(
        'SELECT data FROM events WHERE type = $1',
        [`io.curtail.${name}.v1`],
      );
      return row!.data;
    };
    const { dueAt } = await event('enforcement.scheduled');
    expectIn(dueAt, within(began, saved, delayMs));
    const due = new Date(dueAt!);
    const evicted = await db.query<{ at: Date }[]>('SELECT at FROM simulated_evictions');
    expect(evicted).toHaveLength(2);
    for (const { at } of evicted) expectIn(at, within(due, ended));
    expectIn((await event('enforcement.started')).startedAt, within(due, ended));
    const { openedAt, deadlineAt } = await event('enforcement.opened');
    expectIn(openedAt, within(due, ended));
    expectIn(deadlineAt, within(due, ended, 300_000));
    const times = await db.query<{ time: Date }[]>('SELECT time FROM events');
    for (const { time } of times) expectIn(time, within(began, ended));
  });
});
