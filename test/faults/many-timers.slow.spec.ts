import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder } from '../support/curtail-process.js';
import { query } from '../support/query.js';
import { applyConfiguration, loadWork } from './api.js';
import { audit } from './audit/audit.js';
import { readHistory } from './audit/history.js';
import { named } from './audit/log-checks.js';
import { until } from './until.js';

const queues = 10_000;
/** These are due while the process is dead: it has that long to set all of them, and to be killed. */
const soon = 40;
const soonSeconds = 20;
const environment = {
  CURTAIL_VICTIMS_PER_SECOND: '1000',
  CURTAIL_GRACE_SECONDS: '1',
  CURTAIL_APPROVE_ABOVE_PERCENT: '100',
};

describe('a start with ten thousand pending timers after kill -9', () => {
  let folder: CurtailFolder;

  beforeAll(async () => {
    folder = await CurtailFolder.create();
  });
  afterAll(() => folder?.remove());

  it('fires once what was due meanwhile and states how late, and leaves the others their time', async () => {
    const { curtail: first, url } = await folder.start({ environment });
    await loadWork(url, {
      queues,
      applications: queues,
      allocations: 2 * queues,
      resources: [{ memory: 1 }],
      nodes: 1,
      daemonsPercent: 0,
      originators: false,
    });
    const databaseUrl = await folder.databaseUrl();
    const lower = async (from: number, pending: number) => {
      expect(await applyConfiguration(url, configuration(from))).toBeDefined();
      await until(
        async () => databaseUrl,
        `SELECT count(*) = ${pending} FROM timers`,
        () => first.output,
      );
    };
    await lower(queues, 0);
    await lower(soon, queues - soon);
    await lower(0, queues);
    await first.kill();
    const timers = 'SELECT name, generation, due_at FROM timers ORDER BY due_at, name';
    const before = await query(databaseUrl, timers);
    const lastDue = before[soon - 1]?.due_at as Date;
    await delay(Math.max(0, lastDue.getTime() + 1500 - Date.now()));

    const began = performance.now();
    const { curtail } = await folder.start({ environment });
    process.stdout.write(`started with ${queues} timers in ${Math.round(performance.now() - began)} ms\n`);
    await until(
      () => folder.databaseUrl(),
      `SELECT count(*) = ${queues - soon} AND NOT EXISTS (SELECT FROM runs)
         AND NOT EXISTS (SELECT FROM clocks WHERE running_enforcement IS NOT NULL)
         AND (SELECT count(*) = ${soon} FROM read_runs WHERE state = 'ended') FROM timers`,
      () => curtail.output,
    );
    const history = await readHistory(await folder.databaseUrl(), {
      initialAllocations: [],
      victimsPerSecond: 1000,
    });
    const started = named(history.log, 'EnforcementStarted').map(({ data }) => data);
    expect(started).toHaveLength(soon);
    expect(new Set(started.map(({ queue }) => queue))).toEqual(
      new Set(before.slice(0, soon).map(({ name }) => name)),
    );
    for (const { dueAt, startedAt, lateMs, notices } of started) {
      expect(lateMs).toBe(Date.parse(startedAt) - Date.parse(dueAt));
      expect(notices).toMatchObject([
        { code: 'fired-late', about: { kind: 'queue' }, message: expect.stringContaining(dueAt) },
      ]);
    }
    expect(await query(await folder.databaseUrl(), timers)).toEqual(before.slice(soon));
    const waiting =
      /everyRunEndsOnce: .* ended as: not$|decreasesConverge: .* is pending$|nothingIsLeftOver: 9960 (timers|clocks) left/;
    expect(audit(history).filter((finding) => !waiting.test(finding))).toEqual([]);
    expect((await curtail.interrupt()).code).toBe(0);
  });
});

/** Each queue uses two units; those from this number on may use one, after a delay. */
function configuration(from: number): unknown {
  const leaves = Array.from({ length: queues }, (_, index) => ({
    name: `q${index}`,
    resources: {
      max: { memory: index < from ? '2' : '1' },
      ...(index < from ? {} : { 'quota.preemption.delay': index < soon ? soonSeconds : 18_000 }),
    },
  }));
  const top = { name: 'root', queues: [{ name: 'load', queues: leaves }] };
  return { partitions: [{ name: 'default', preemption: { quotapreemptionenabled: true }, queues: [top] }] };
}
