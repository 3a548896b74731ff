import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, CLUSTER_READER, type ClusterDriver } from '#clusters';
import { topics } from '#contracts/events';
import { DatabaseClock, type Outgoing, openDatabase, readSnapshotBody, WakeListener } from '#event-store';
import { InProcessBus } from '#messaging';
import { createLogger, platformModule, Readiness, readSettings, Shutdown } from '#platform';
import { curtailSettings, RefusedWrites, runtimeModule } from '#runtime';
import { archiveModule } from '../../apps/console/src/archive/archive.module.js';
import { CHECKPOINT_PLACE } from '../../apps/console/src/chain/send-checkpoints.js';
import { ConsoleModule } from '../../apps/console/src/console.module.js';
import { MODE_SETTINGS } from '../../apps/console/src/modes/modes.js';
import { REMAKE_LIMITS } from '../../apps/console/src/replay/remake/remake-in-thread.js';
import {
  INSTALLATION_SETTINGS,
  installationSchema,
  installationSettings,
} from '../../apps/console/src/settings/effective-settings.js';
import { WEBHOOK } from '../../apps/console/src/webhook/announcements.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { writeGeneratedLog } from '../support/generated-log/write.js';

/** Stands where the cluster stands, for the whole process; it may not be asked anything. */
class Bomb implements ClusterDriver {
  readonly name = 'bomb';
  readonly asked: string[] = [];
  readonly snapshot = () => this.explode('snapshot');
  readonly capacity = () => this.explode('capacity');
  readonly resourceTypes = () => this.explode('resourceTypes');
  readonly usage = () => this.explode('usage');
  readonly held = () => this.explode('held');
  readonly queuesWithWork = () => this.explode('queuesWithWork');
  readonly allocation = () => this.explode('allocation');
  readonly application = () => this.explode('application');
  readonly budgetsLeft = () => this.explode('budgetsLeft');
  readonly gangs = () => this.explode('gangs');
  readonly node = () => this.explode('node');
  readonly allocations = () => this.explode('allocations');
  readonly applications = () => this.explode('applications');
  readonly evict = () => this.explode('evict');
  readonly carriedOut = () => this.explode('carriedOut');

  private explode(method: string): Promise<never> {
    this.asked.push(method);
    throw new Error(`the bomb: ${method}`);
  }
}

const bomb = new Bomb();
const sent: Outgoing[] = [];

let server: TestDatabase;
let db: DataSource;
let clock: DatabaseClock;
let wake: WakeListener;
let app: INestApplication;
let url: string;
beforeAll(async () => {
  server = await createMigratedDatabase();
  db = await openDatabase(server.url);
  await writeGeneratedLog(db, 6000);
  wake = new WakeListener(server.url);
  const settings = {
    ...readSettings(curtailSettings, { DATABASE_URL: server.url }),
    logLevel: 'silent' as const,
  };
  const log = createLogger(settings);
  clock = await DatabaseClock.start(db);
  const runtime = {
    databaseUrl: server.url,
    database: db,
    clock,
    operatorDatabase: db,
    readerDatabase: db,
    scanDatabase: db,
    wake,
    bus: new InProcessBus({ database: db, wake }),
    wakeUpQueue: undefined,
    writes: new RefusedWrites(server.url, () => {}),
    republisher: {
      republish: async (events: readonly Outgoing[]) => {
        sent.push(...events);
      },
      close: async () => {},
    },
  };
  const module = await Test.createTestingModule({
    imports: [
      platformModule(
        settings,
        log,
        new Shutdown({ log, deadlineSeconds: 20, exit: () => {} }),
        new Readiness(),
      ),
      runtimeModule(runtime, [
        { provide: CLUSTER_DRIVER, useValue: bomb },
        { provide: CLUSTER_READER, useValue: bomb },
        { provide: MODE_SETTINGS, useValue: { defaultMode: 'enforce' } },
        {
          provide: INSTALLATION_SETTINGS,
          useValue: installationSettings(readSettings(installationSchema, {})),
        },
        { provide: WEBHOOK, useValue: null },
        { provide: CHECKPOINT_PLACE, useValue: { everyMinutes: 60 } },
        { provide: REMAKE_LIMITS, useValue: { previewSeconds: 30, previewMegabytes: 512 } },
      ]),
      archiveModule({ afterDays: 90 }),
      ConsoleModule,
    ],
  }).compile();
  app = module.createNestApplication({ logger: false });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(async () => {
  await app.close();
  clock.stop();
  await wake.stop();
  await db.destroy();
  await server.drop();
});

async function post(path: string, body: object): Promise<{ status: number; last: Record<string, unknown> }> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
  const lines = (await response.text()).trim().split('\n');
  return { status: response.status, last: JSON.parse(lines.at(-1)!) };
}

/** All that could be evicted from, or lead to it. */
const world = () =>
  Promise.all(
    ['events', 'timers', 'planned_victims', 'runs', 'simulated_evictions', 'simulated_allocations'].map(
      async (table) => ({
        table,
        rows: (await db.query(`SELECT count(*)::int AS count FROM ${table}`))[0].count,
      }),
    ),
  );

describe('with a bomb in the place of the cluster', () => {
  it('every replay, what-if and republication comes to its end, and no one asks it anything', async () => {
    const before = await world();
    const plans = expect.any(Number);

    expect((await post('/v1/replays', { into: 'projections' })).last).toMatchObject({
      result: { events: 6000 },
    });
    expect((await post('/v1/replays', { into: 'digest' })).last).toMatchObject({
      result: { plans, different: [] },
    });
    const shadow = { into: 'shadow', settings: { fit: 'within' } };
    const { result } = (await post('/v1/replays', shadow)).last as { result: { differ: number } };
    expect(result.differ).toBeGreaterThan(0);
    const [recorded] = await db.query(
      `SELECT data FROM events WHERE type = 'io.curtail.plan.computed.v1' ORDER BY events.position LIMIT 1`,
    );
    const { snapshotDigest, trigger } = recorded.data;
    const preview = { snapshot: await readSnapshotBody(db, snapshotDigest), trigger };
    expect((await post('/v1/plans/preview', preview)).last).toMatchObject({
      victims: recorded.data.plan.victims,
    });
    expect((await post('/v1/republications', { topic: topics.plans })).last).toMatchObject({
      result: { topic: topics.plans, events: sent.length },
    });
    expect(sent.length).toBeGreaterThan(100);

    expect(bomb.asked).toEqual([]);
    expect(await world()).toEqual(before);
  });

  it('requests to evict are not sent a second time', async () => {
    const count = sent.length;
    const { status } = await post('/v1/republications', { topic: topics.evictionRequests });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(sent).toHaveLength(count);
  });

  it('a list of queues asks for what they use: the bomb is live', async () => {
    await db.query(
      `INSERT INTO queues (partition, path, delay_ms, parent) VALUES ('default', 'root.a', 0, false)`,
    );
    await fetch(`${url}/v1/queues`);
    expect(bomb.asked).toEqual(['queuesWithWork']);
  });
});
