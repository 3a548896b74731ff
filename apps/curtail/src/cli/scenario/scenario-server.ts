import { setTimeout as pause } from 'node:timers/promises';
import type { Element, Enforcement, Rounds } from '#api-client';
import type { Client } from '../server/client.js';
import { isAway } from '../server/server-error.js';

/** What a scenario reads from the server about its partition. Reads wait for a server that is away, until `waitsUntil`. */
export class ScenarioServer {
  private untilMs = performance.now();

  constructor(
    private readonly client: Client,
    private readonly partition: string,
    private readonly report: (sentence: string) => void,
  ) {}

  /** @param ms by the clock of `performance`; until this is called, reads do not wait. */
  waitsUntil(ms: number): void {
    this.untilMs = ms;
  }

  async applications() {
    const params = { path: { partition: this.partition } };
    return (
      await this.ask(() => this.client.get('/v1/partitions/{partition}/simulated/applications', { params }))
    ).items;
  }

  /** The policies that are switched on, besides the enforcement of quotas. */
  async policies() {
    const params = { path: { partition: this.partition } };
    return (await this.ask(() => this.client.get('/v1/partitions/{partition}', { params }))).policies;
  }

  /** Pools, then operations. A partition without fair-share has none. */
  async elements(): Promise<Element[]> {
    const pools = await this.ask(() => this.client.get('/v1/pools', this.ofPartition));
    const operations = await this.ask(() => this.client.get('/v1/operations', this.ofPartition));
    return [...pools.items, ...operations.items];
  }

  async enforcements(): Promise<Enforcement[]> {
    return (await this.ask(() => this.client.get('/v1/enforcements', this.ofPartition))).items;
  }

  async explanation({ enforcement }: Enforcement) {
    const params = { path: { enforcement } };
    return this.ask(() => this.client.get('/v1/enforcements/{enforcement}/explanation', { params }));
  }

  /** The rounds of the one policy that the scenario's configuration switches on. */
  async lastRound(): Promise<Rounds | undefined> {
    const rounds = await this.ask(() => this.client.get('/v1/rounds', this.ofPartition));
    return rounds.items.find(({ nextDueAt }) => nextDueAt !== null);
  }

  async hasTimers(): Promise<boolean> {
    return (await this.ask(() => this.client.get('/v1/timers', this.ofPartition))).items.length > 0;
  }

  private get ofPartition() {
    return { params: { query: { partition: this.partition } } };
  }

  private ask<T>(read: () => Promise<T>): Promise<T> {
    return whileAway(
      read,
      (why) => this.report(`${why}; waiting for it, the scenario continues on the server`),
      this.untilMs,
    );
  }
}

const againMs = 500;

/**
 * Reads from a server, and retries while it or its database is down. The scenario continues on the server meanwhile; restarting it
 * would lose it.
 *
 * @param waits called once, with the reason.
 * @param untilMs by the clock of `performance`: then the error is thrown.
 */
export async function whileAway<T>(
  read: () => Promise<T>,
  waits: (why: string) => void,
  untilMs: number,
): Promise<T> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await read();
    } catch (error) {
      if (!isAway(error) || performance.now() >= untilMs) throw error;
      if (isFirst) waits(error.message);
      await pause(againMs);
    }
  }
}
