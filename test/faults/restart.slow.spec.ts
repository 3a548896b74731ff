import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { Chance } from '../support/chance.js';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { query } from '../support/query.js';
import { applyConfiguration, loadWork } from './api.js';
import { audit } from './audit/audit.js';
import { isOver, type RemainingAllocation, readHistory, readRemaining } from './audit/history.js';
import { Quotas } from './scenario.js';
import { until } from './until.js';

/** More of both for a long run: CURTAIL_TEST_KILLS=200 CURTAIL_TEST_SEED=7. */
const kills = Number(process.env.CURTAIL_TEST_KILLS ?? 12);
const seed = Number(process.env.CURTAIL_TEST_SEED ?? Math.floor(Math.random() * 1e6));
const victimsPerSecond = 6;
const environment = {
  CURTAIL_VICTIMS_PER_SECOND: String(victimsPerSecond),
  CURTAIL_GRACE_SECONDS: '1',
  CURTAIL_APPROVE_ABOVE_PERCENT: '100',
  CURTAIL_APPROVE_ABOVE_VICTIMS: '100000',
};

describe(`a process that is killed again and again (CURTAIL_TEST_SEED=${seed})`, () => {
  const chance = new Chance(seed);
  let folder: CurtailFolder;
  let initialAllocations: RemainingAllocation[];
  let quotas: Quotas;
  const accepted: string[] = [];

  beforeAll(async () => {
    folder = await CurtailFolder.create();
    const { curtail, url } = await folder.start({ environment });
    await loadWork(url, { under: 'root.a', queues: 6, depth: 2, allocations: 240, applications: 24 });
    await loadWork(url, { under: 'root.b', queues: 4, depth: 1, allocations: 120, applications: 12 });
    initialAllocations = await readInitial(await folder.databaseUrl());
    quotas = new Quotas(initialAllocations, chance);
    await submit(url);
    expect(accepted).toHaveLength(1);
    expect((await curtail.interrupt()).code).toBe(0);
  });
  afterAll(() => folder?.remove());

  it(
    'loses no clock and no run, starts nothing early and kills nothing twice',
    async () => {
      for (let life = 0; life < kills; life++) await liveAndDie(life);

      const { curtail, url } = await folder.start({ environment });
      await submit(url);
      await until(
        () => folder.databaseUrl(),
        isOver,
        () => curtail.output,
      );
      const history = await readHistory(await folder.databaseUrl(), { initialAllocations, victimsPerSecond });
      expect(audit(history)).toEqual([]);

      const applied = history.log.flatMap((event) =>
        event.name === 'ConfigApplied' ? [event.data.digest] : [],
      );
      expect(applied).toEqual(expect.arrayContaining(accepted));
      // The test is worth nothing if nothing happened in it.
      expect(history.kills.length).toBeGreaterThan(20);
      expect((await curtail.interrupt()).code).toBe(0);
    },
    60_000 + kills * 30_000,
  );

  /** One life of the process: short or long, with or without a new configuration, ended one way or another. */
  async function liveAndDie(life: number): Promise<void> {
    const curtail = folder.spawn({ environment });
    if (chance.hits(0.25)) {
      // Most likely it is still starting.
      await delay(chance.between(50, 1500));
      await die(curtail);
    } else {
      const url = await curtail.listening;
      const change = life % 2 === 0 ? submit(url) : Promise.resolve();
      await delay(chance.between(20, 2500));
      await die(curtail);
      await change;
    }
  }

  async function die(curtail: CurtailProcess): Promise<void> {
    const how = chance.between(0, 1);
    if (how < 0.2) {
      await curtail.interrupt();
    } else if (how < 0.4) {
      const server = await folder.serverPid();
      if (server) process.kill(server, 'SIGKILL');
      await curtail.kill();
    } else {
      await curtail.kill();
    }
  }

  async function submit(url: string): Promise<void> {
    if (accepted.length > 0) quotas.change();
    const digest = await applyConfiguration(url, quotas.configuration());
    if (digest) accepted.push(digest);
  }
});

/** The work in the cluster; a fifth of the applications refuse evictions for a while, one forever. */
async function readInitial(databaseUrl: string): Promise<RemainingAllocation[]> {
  const refusing = (value: string, condition: string) =>
    query(
      databaseUrl,
      `UPDATE simulated_applications SET properties = '{"refuseEvictions": ${value}}' WHERE ${condition}`,
    );
  await refusing('2', `id ~ '[05]$'`);
  await refusing('"always"', `id = 'a/application-0000003'`);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await readRemaining(client);
  } finally {
    await client.end();
  }
}
