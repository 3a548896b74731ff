import { setTimeout as delay } from 'node:timers/promises';
import { place } from '#clusters';
import { openDatabase } from '#event-store';
import { Questions, query } from '../../support/query.js';
import { type History, isOver, type RemainingAllocation, readHistory } from '../audit/history.js';
import { watchWrites } from '../audit/watch-writes.js';
import { type Counts, Fleet } from './fleet.js';
import { Platform } from './platform/platform.js';
import { type Ground, Servers } from './servers.js';
import type { Decrease, Tree } from './tree.js';
import { Wire } from './wire.js';

export const usualCounts: Counts = { 'config-ingest': 1, timer: 1, planner: 2, executor: 2, console: 1 };

const victimsPerSecond = 20;
const askEveryMs = 200;

const usual = {
  CURTAIL_VICTIMS_PER_SECOND: String(victimsPerSecond),
  CURTAIL_GRACE_SECONDS: '1',
  CURTAIL_APPROVE_ABOVE_PERCENT: '100',
  CURTAIL_APPROVE_ABOVE_VICTIMS: '1000000',
};

export interface StageOptions {
  counts?: Counts;
  /** Further settings of all services. */
  environment?: Record<string, string>;
  /** Default `simulated`. */
  cluster?: ClusterKind;
  /** The folder of a checkout that is built, for the services at the start; absent: this one. */
  release?: string;
}

/** The simulated cluster in Curtail's database, or a platform that reports over Kafka what runs in it. */
export type ClusterKind = 'simulated' | 'inventory';

/** Real servers, the services on them, and all that is known of what was done to them: scenarios are played on it, one after the other. */
export class Stage<G extends Ground = Servers> {
  readonly initialAllocations: RemainingAllocation[] = [];
  readonly accepted: Decrease[] = [];
  /** Messages were deleted by a scenario. */
  hasLost = false;

  private constructor(
    readonly servers: G,
    readonly fleet: Fleet,
    readonly wire: Wire,
    private readonly reporting: Platform | undefined,
  ) {}

  /** On servers of its own. */
  static async open({ brokers = 1, ...options }: StageOptions & { brokers?: 1 | 3 } = {}): Promise<Stage> {
    return Stage.on(await Servers.start({ brokers }), options);
  }

  /** On servers that are there; they are removed with it. */
  static async on<G extends Ground>(
    ground: G,
    { counts = usualCounts, environment = {}, cluster = 'simulated', release }: StageOptions = {},
  ): Promise<Stage<G>> {
    try {
      const { brokers, databaseUrl } = ground.direct;
      const settings = { ...usual, CURTAIL_CLUSTER: cluster, ...environment };
      const fleet = await Fleet.start({ ...ground.environment(), ...settings }, counts, release);
      await watchWrites(databaseUrl);
      const reporting =
        cluster === 'inventory' ? await Platform.start(brokers, ground.topicPrefix) : undefined;
      return new Stage(ground, fleet, new Wire(brokers, ground.topicPrefix), reporting);
    } catch (error) {
      await ground.remove();
      throw error;
    }
  }

  /** Puts the work of a tree into the cluster. */
  async plant(tree: Tree): Promise<void> {
    const { remaining, ...work } = tree.work();
    this.initialAllocations.push(...remaining);
    if (this.reporting) {
      await this.reporting.run(work);
      await this.until(
        'the work is reported',
        `SELECT count(*) = ${remaining.length} FROM inventory_allocations WHERE queue LIKE 'root.${tree.name}.%'`,
      );
      return;
    }
    const database = await openDatabase(this.servers.direct.databaseUrl, { poolSize: 1 });
    try {
      await place(database, 'default', work);
    } finally {
      await database.destroy();
    }
  }

  /** @throws where the cluster is the simulated one. */
  get platform(): Platform {
    if (this.reporting) return this.reporting;
    throw new Error('no platform reports on this stage: it has the simulated cluster');
  }

  /** On a connection of its own, past the proxy. */
  ask<Row>(text: string): Promise<Row[]> {
    return query(this.servers.direct.databaseUrl, text) as Promise<Row[]>;
  }

  /** Asks until the answer is true, also while the database is away. @throws if it is not within the time. */
  async until(what: string, condition: string, withinMs = 120_000): Promise<void> {
    const questions = new Questions(async () => this.servers.direct.databaseUrl);
    let row: Record<string, unknown> | undefined;
    try {
      for (const end = Date.now() + withinMs; Date.now() < end; await delay(askEveryMs)) {
        [row] = await questions.ask(condition).catch((error: Error) => [{ error: error.message }]);
        if (Object.values(row ?? {})[0] === true) return;
      }
    } finally {
      await questions.close();
    }
    throw new Error(`not within ${withinMs / 1000} s: ${what}: ${JSON.stringify(row)}`);
  }

  async runsEnded(): Promise<number> {
    const [row] = await this.ask<{ count: number }>(
      `SELECT count(*)::int FROM events WHERE type = 'io.curtail.enforcement.ended.v1'`,
    );
    return row?.count ?? 0;
  }

  /** Resolves when so many more runs have ended than now. */
  async moreRuns(count: number): Promise<void> {
    const before = await this.runsEnded();
    await this.until(
      `${count} more runs end`,
      `SELECT count(*) >= ${before + count} FROM events WHERE type = 'io.curtail.enforcement.ended.v1'`,
    );
  }

  /** The moment at which each consumer of the bus had handled something since then. */
  async firstHandled(since: Date): Promise<Date> {
    const firsts = `SELECT min(handled_at) AS at FROM inbox
      WHERE handled_at > '${since.toISOString()}' AND consumer IN ('timer', 'planner', 'executor') GROUP BY consumer`;
    await this.until('each consumer handles something', `SELECT count(*) = 3 FROM (${firsts}) AS firsts`);
    const [row] = await this.ask<{ at: Date }>(`SELECT max(at) AS at FROM (${firsts}) AS firsts`);
    return row?.at ?? since;
  }

  /** Nothing is under way any more, every consumer has handled all there is, and all of it is published. */
  async settled(): Promise<void> {
    await this.until('nothing is under way any more', isOver);
    await this.until('all is published', isPublished);
  }

  history(): Promise<History> {
    const { initialAllocations } = this;
    const ledger = this.reporting?.ledger;
    const truth = ledger && {
      kills: [...ledger.kills],
      remaining: ledger.remaining(),
      departures: [...ledger.departures],
    };
    return readHistory(this.servers.direct.databaseUrl, { initialAllocations, victimsPerSecond }, truth);
  }

  async end(): Promise<void> {
    try {
      await this.fleet.end();
    } finally {
      await this.remove();
    }
  }

  async remove(): Promise<void> {
    await this.reporting?.close();
    await this.fleet.remove();
    await this.servers.remove();
  }
}

const isPublished = `
  SELECT NOT EXISTS (
    SELECT FROM events WHERE (transaction_id, position) > (SELECT transaction_id, position FROM relays LIMIT 1))`;
