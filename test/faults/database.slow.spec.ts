import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { query } from '../support/query.js';
import { applyConfiguration, loadWork } from './api.js';
import { audit } from './audit/audit.js';
import { isOver, readHistory } from './audit/history.js';
import { until } from './until.js';

const victimsPerSecond = 10;
const environment = { CURTAIL_VICTIMS_PER_SECOND: String(victimsPerSecond), CURTAIL_GRACE_SECONDS: '1' };

describe('a database that goes away under a running Curtail', () => {
  let folder: CurtailFolder;
  let curtail: CurtailProcess;
  let url: string;
  const quotas = [40, 40];

  beforeAll(async () => {
    folder = await CurtailFolder.create();
    ({ curtail, url } = await folder.start({ environment }));
    for (const index of quotas.keys()) {
      await loadWork(url, {
        under: `root.t${index}`,
        queues: 1,
        allocations: 40,
        resources: [{ memory: 1 }],
        daemonsPercent: 0,
      });
    }
    expect(await applyConfiguration(url, configuration())).toBeDefined();
  });
  afterAll(() => folder?.remove());

  it('is refused to a second process, which names its owner and the remedy', async () => {
    const second = folder.spawn({ environment });
    expect(await second.ended).toEqual({ code: 2, signal: null });
    expect(second.output).toContain(`is used by process ${curtail.pid}.`);
    expect(second.output).toContain('give this one a data folder of its own');
    expect(second.output).not.toMatch(/^\s+at /m);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  it('cuts all connections in the middle of a run, again and again, and the run continues', async () => {
    await lower(0);
    for (const kills of [2, 5, 8, 11, 14]) {
      await killed(0, kills);
      await query(
        await folder.databaseUrl(),
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
      );
    }
    await isAuditedAndRight();
    expect(curtail.log.filter(({ level }) => level === 'fatal' || level === 'error')).toEqual([]);
  });

  it('is killed in the middle of a run: it is started again, and the run continues', async () => {
    const before = await folder.databaseUrl();
    await lower(1);
    await killed(1, 5);
    await killServer();
    await isAuditedAndRight();
    expect(await folder.databaseUrl()).toBe(before);
    const lines = curtail.log.map(({ msg }) => msg).filter((line) => line.startsWith('PostgreSQL '));
    expect(lines).toEqual([
      expect.stringContaining('keeps its data in'),
      expect.stringContaining('PostgreSQL ended unexpectedly (signal SIGKILL); restarting it'),
      expect.stringMatching(/^PostgreSQL runs again after \d+ ms\.$/),
    ]);
  });

  it('is killed each time it is started again: Curtail ends, states why, and can be started', async () => {
    for (let times = 2; times <= 6; times++) await killServer(times);
    expect(await curtail.ended).toEqual({ code: 1, signal: null });
    const fatal = curtail.log.filter(({ level }) => level === 'fatal').map(({ msg }) => msg);
    expect(fatal).toEqual([
      expect.stringContaining('It was started again 5 times within 10 minutes, and ended each time.'),
    ]);
    ({ curtail, url } = await folder.start({ environment }));
    await isAuditedAndRight();
    expect((await curtail.interrupt()).code).toBe(0);
  });

  async function lower(index: number): Promise<void> {
    quotas[index] = 20;
    expect(await applyConfiguration(url, configuration())).toBeDefined();
  }

  /** Resolves when so many of a queue have been killed. */
  async function killed(index: number, count: number): Promise<void> {
    await until(
      () => folder.databaseUrl(),
      `SELECT count(*) >= ${count} FROM simulated_evictions WHERE queue = 'root.t${index}.q0'`,
      () => curtail.output,
    );
  }

  /** kill -9, once Curtail has seen that its server runs. */
  async function killServer(times = 1): Promise<void> {
    let isOver = false;
    void curtail.ended.then(() => {
      isOver = true;
    });
    while (curtail.log.filter(({ msg }) => msg.startsWith('PostgreSQL runs again')).length < times - 1) {
      if (isOver) throw new Error(`Curtail has ended:\n${curtail.output}`);
      await delay(20);
    }
    const pid = await folder.serverPid();
    if (!pid) throw new Error(`there is no server to kill:\n${curtail.output}`);
    process.kill(pid, 'SIGKILL');
  }

  async function isAuditedAndRight(): Promise<void> {
    await until(
      () => folder.databaseUrl(),
      isOver,
      () => curtail.output,
    );
    const history = await readHistory(await folder.databaseUrl(), {
      initialAllocations: [],
      victimsPerSecond,
    });
    expect(audit(history)).toEqual([]);
    for (const [index, quota] of quotas.entries()) {
      const remaining = history.remaining.filter(({ queue }) => queue === `root.t${index}.q0`);
      expect(remaining).toHaveLength(quota);
    }
  }

  function configuration(): unknown {
    const queues = quotas.map((quota, index) => ({
      name: `t${index}`,
      queues: [
        {
          name: 'q0',
          resources: { max: { memory: String(quota) } },
          properties: quota < 40 ? { 'quota.preemption.delay': '200ms' } : {},
        },
      ],
    }));
    return {
      partitions: [
        { name: 'default', preemption: { quotapreemptionenabled: true }, queues: [{ name: 'root', queues }] },
      ],
    };
  }
});
