import { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, type ClusterDriver } from '#clusters';
import type { EventData } from '#contracts';
import { eventName } from '#contracts/events';
import { type KnownEvent, WakeListener } from '#event-store';
import type { Consumer, EventBus } from '#messaging';
import { createLogger, type Problem, readSettings, Shutdown, type ThreadProgram } from '#platform';
import { type CurtailSettings, curtailSettings } from '#runtime';
import { Wakeable } from '#waiting';

import { PlanInThread } from '../../apps/config-ingest/src/preview/plan-in-thread.js';
import { TakeAnswers } from '../../apps/console/src/answers/take-answers.js';
import { PlanGivenInThread } from '../../apps/console/src/explain/plan-given-in-thread.js';
import { RemakeInThread } from '../../apps/console/src/replay/remake/remake-in-thread.js';
import { MeasureWaiting } from '../../apps/console/src/waiting/measure-waiting.js';
import { type AllInOne, runAllInOne } from '../../apps/curtail/src/start/run-all-in-one.js';
import { OpenRuns } from '../../apps/executor/src/runs/open-runs.js';
import { clockConsumer } from '../../apps/timer/src/clocks/clock-event.js';
import { createMigratedDatabase, type TestDatabase } from './database.js';
import { DescribedAnswers } from './described-answers.js';
import type { LoggedEvent } from './logged-event.js';
import { type Answer, type RunningSystem, TestPartition } from './test-partition.js';

/** Every answer that a test reads is compared with its description. */
export const described = new DescribedAnswers();

/** Awaited things are there long before this, or never. */
const longestWaitMs = 120_000;

/** Quick, and without the limits that would make small tests wait for an operator. */
const testSettings: Partial<CurtailSettings> = {
  sample: 'no',
  logLevel: (process.env.CURTAIL_TEST_LOG ?? 'silent') as CurtailSettings['logLevel'],
  port: 0,
  graceSeconds: 0,
  victimsPerSecond: 1000,
  approveAboveVictims: 1000,
  approveAbovePercent: 100,
  sweepMilliseconds: 100,
  foresight: 'off',
};

/**
 * All of Curtail in this process as `npm start` runs it, on a database of its own. Partitions are separate worlds: a suite
 * starts one system and gives each test a partition.
 */
export class EmbeddedSystem implements RunningSystem {
  private partitions = 0;

  private constructor(
    private readonly database: TestDatabase,
    private readonly running: AllInOne,
    private readonly shutdown: Shutdown,
    private readonly wake: WakeListener,
    private readonly undescribed: () => string[],
  ) {}

  /** `database`: one that a system before left behind; it is not dropped at the end. */
  static async start(
    settings: Partial<CurtailSettings> = {},
    database?: TestDatabase,
  ): Promise<EmbeddedSystem> {
    const used = database ?? (await createMigratedDatabase());
    const all = {
      ...readSettings(curtailSettings, { DATABASE_URL: used.url }),
      ...testSettings,
      ...settings,
    };
    const log = createLogger(all);
    const shutdown = new Shutdown({ log, deadlineSeconds: 20, exit: () => {} });
    const running = await runAllInOne(all, { log, shutdown });
    const wake = new WakeListener(used.url);
    await wake.start();
    return new EmbeddedSystem(
      database ? { ...used, drop: async () => {} } : used,
      running,
      shutdown,
      wake,
      described.watch(running.app.getHttpServer()),
    );
  }

  /** @throws Error if it has answered with a status that the document of the API does not have. */
  async stop(): Promise<void> {
    await this.wake.stop();
    await this.shutdown.run();
    await this.database.drop();
    const undescribed = this.undescribed();
    if (undescribed.length > 0)
      throw new Error(`answers whose status docs/reference/openapi.json lacks: ${undescribed.join(', ')}`);
  }

  get url(): string {
    return this.running.url;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** The driver of this system; a test may replace `evict` to get between. */
  get cluster(): ClusterDriver {
    return this.running.app.get(CLUSTER_DRIVER, { strict: false });
  }

  /** Counts the runs that wait for approval, which a sampler does from time to time. */
  measureWaiting(): Promise<void> {
    return this.running.app.get(MeasureWaiting, { strict: false }).measure();
  }

  get db(): DataSource {
    return this.running.app.get(DataSource, { strict: false });
  }

  get bus(): EventBus {
    return this.running.runtime.bus;
  }

  /** Previews of configurations, and of what clients send, are planned by these programs from now on, in threads. */
  planPreviewsBy(program: ThreadProgram, givenPlans: ThreadProgram): void {
    this.running.app.get(PlanInThread, { strict: false }).use(program);
    this.running.app.get(PlanGivenInThread, { strict: false }).use(givenPlans);
  }

  /** Explanations have their plans from this program from now on, in a thread. */
  explainBy(program: ThreadProgram): void {
    this.running.app.get(RemakeInThread, { strict: false }).explainBy(program);
  }

  /** A part of this system: a test may replace its methods to get between. */
  part<T>(type: new (...parts: never[]) => T): T {
    return this.running.app.get(type, { strict: false });
  }

  /** A consumer of this system, as the bus calls it: a test may replace `handle` to get between. */
  consumer(name: string): Consumer {
    const found = this.bus.consumers().find((consumer) => consumer.name === name);
    if (!found) throw new Error(`no consumer is named ${name}`);
    return found;
  }

  /** From now on no one renews the leases of runs, as if every executor were dead. */
  silenceExecutor(): void {
    this.running.app.get(OpenRuns, { strict: false }).renewLocks = async () => {};
  }

  /** Lets other processes carry out all runs, new ones too, until the returned function is called. */
  pauseExecutor(): () => void {
    const openRuns = this.running.app.get(OpenRuns, { strict: false });
    const { claim, add } = openRuns;
    openRuns.claim = async () => ({ runs: [], nextDueInMs: undefined });
    // Without a hold: this process would carry out those that it holds.
    openRuns.add = (tx, runs) => add.call(openRuns, tx, runs);
    return () => {
      openRuns.claim = claim;
      openRuns.add = add;
    };
  }

  /** The timer goes no further than the batch of events that it gets next, until the way back is called. */
  holdClocks(): { held: Promise<void>; release: () => void } {
    const clocks = this.consumer(clockConsumer);
    const { handle } = clocks;
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = () => {
        clocks.handle = handle;
        resolve();
      };
    });
    const held = new Promise<void>((resolve) => {
      clocks.handle = async (events) => {
        resolve();
        await gate;
        return handle.call(clocks, events);
      };
    });
    return { held, release };
  }

  /** As soon as the relay has sent all events, and moved its cursor behind them. */
  async published(): Promise<void> {
    await this.until('all events to be published', () => this.isPublished());
  }

  /** Whether Kafka has all events so far; true without Kafka. The last event of the log may have a lower position than others. */
  async isPublished(): Promise<boolean> {
    const [row] = await this.db.query<{ all: boolean }[]>(
      `SELECT NOT EXISTS (
         SELECT FROM events e, relays r
         WHERE (e.transaction_id, e.position) > (r.transaction_id, r.position)) AS all`,
    );
    return row!.all;
  }

  /** A partition that no one else uses. */
  partition(): TestPartition {
    this.partitions++;
    return new TestPartition(this, `p${this.partitions}`);
  }

  /** Commands on a run are given once the console shows it: an event of it may be a moment ahead. */
  async request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    accept?: string,
  ): Promise<Answer<T>> {
    const [, run] = /^\/v1\/enforcements\/([^/]+)\/(?:approve|cancel|reject)$/.exec(path) ?? [];
    if (method === 'POST' && run !== undefined) await this.shown(run);
    const text = typeof body === 'string';
    const response = await fetch(`${this.url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: text ? body : JSON.stringify(body) }),
      headers: {
        // A kept connection may end just when a busy machine sends the next request over it.
        Connection: 'close',
        ...(body !== undefined && { 'Content-Type': text ? 'application/yaml' : 'application/json' }),
        ...(accept !== undefined && { Accept: accept }),
      },
    });
    const type = response.headers.get('content-type') ?? '';
    const isJson = type.includes('json') && !type.includes('ndjson');
    const answer = {
      status: response.status,
      type,
      body: (isJson ? await response.json() : await response.text()) as T,
    };
    described.check(method, path, answer);
    return answer;
  }

  /** Waits until the console shows a run, if the log has one of this name. */
  private async shown(run: string): Promise<void> {
    const { db } = this;
    const has = async (query: string) => ((await db.query(query, [run])) as unknown[]).length > 0;
    await this.until(
      `the run ${run} to be shown`,
      async () =>
        (await has('SELECT FROM read_runs WHERE enforcement = $1')) ||
        !(await has(`SELECT FROM events WHERE data ->> 'enforcement' = $1 LIMIT 1`)),
    );
  }

  /** An answer of an owner, as it arrives over Kafka. */
  async takeAnswer(data: EventData<'OwnerAnswerSent'>, source = '/platform'): Promise<void> {
    const taker = this.running.app.get(TakeAnswers, { strict: false });
    const effects = await taker.handle([{ name: 'OwnerAnswerSent', data, source } as KnownEvent]);
    await this.db.transaction(async (tx) => effects?.(tx));
  }

  /** The body of a GET that has to succeed. */
  async get<T = Record<string, unknown>>(path: string): Promise<T> {
    const { status, body } = await this.request<T>('GET', path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  /** A request that has to be refused. */
  async refused(method: string, path: string, body?: unknown): Promise<Problem & { status: number }> {
    const answer = await this.request<Problem>(method, path, body);
    if (answer.status < 400) throw new Error(`${method} ${path} was not refused`);
    if (!answer.type.startsWith('application/problem+json')) {
      throw new Error(`${method} ${path} answered ${answer.status} as ${answer.type}`);
    }
    return answer.body;
  }

  /** Events in the order of the log; those of types that this build does not know are left out. */
  async log(partition: string): Promise<LoggedEvent[]> {
    const rows = await this.db.query<
      (Omit<LoggedEvent, 'name' | 'position'> & { type: string; position: string })[]
    >(
      `SELECT position::text, stream, version, key, time, type, data FROM events
         WHERE partition = $1 ORDER BY events.position`,
      [partition],
    );
    return rows.flatMap(({ type, position, ...row }) => {
      const name = eventName(type);
      return name ? [{ ...row, position: BigInt(position), name } as LoggedEvent] : [];
    });
  }

  /**
   * Waits until `read` finds something. It reads after every commit of an event, and every 50 ms for things without events.
   *
   * @throws if nothing was found in time, with `what` was waited for.
   */
  async until<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
    const end = Date.now() + longestWaitMs;
    const commits = new Wakeable();
    // Once for the whole wait: each new subscription wakes at once, for the commits before it.
    const unsubscribe = this.wake.onWake(() => commits.wake());
    try {
      for (;;) {
        commits.forget();
        const found = await read();
        if (found !== undefined && found !== false) return found;
        if (Date.now() > end) throw new Error(`gave up waiting for ${what}`);
        await commits.sleep(50);
      }
    } finally {
      unsubscribe();
    }
  }
}
