import { setTimeout as delay } from 'node:timers/promises';
import { wakeUps } from '../../bench/processes.js';
import { report } from '../../bench/report.js';
import { countTransactions } from '../../bench/service/transactions.js';
import type { Three } from '../../scripts/infra/index.js';
import { type Cpu, cpuOf, cpuSince } from './cpu.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';

/** Of the measured time. After two minutes a process has compiled, and V8 has collected what its start left: it does so within 100 s of the last full collection. */
const settleTimes = 4;
const mostMs = 30;

interface Measurement {
  cpu: Cpu;
  woken: ReadonlyMap<string, number>;
  transactions: number;
}

/** The cost of every idle service; brokers and databases are listed separately. */
export async function benchDistributedIdle(three: Three, { idleSeconds }: Scale): Promise<void> {
  const system = await startSystem(three);
  try {
    await delay(settleTimes * idleSeconds * 1000);
    const before = await measure(system);
    await delay(idleSeconds * 1000);
    const after = await measure(system);
    const cpu = cpuSince(before.cpu, after.cpu);
    const servers = new Set([three.kafka.name, three.redis.name, three.postgres.name]);
    const services = [...system.pids.keys()].filter((name) => !servers.has(name));
    const each = (of: number | undefined) => (of ?? 0) / idleSeconds;
    const all = services.reduce((sum, name) => sum + each(cpu.get(name)), 0);
    const rowOf = (name: string) => ({
      what: `  ${name}`,
      measured: `${each(cpu.get(name)).toFixed(1)} ms`,
      beside: `${each((after.woken.get(name) ?? 0) - (before.woken.get(name) ?? 0)).toFixed(0)} wake-ups`,
    });
    report('Nothing to do, every service a process, each second', [
      {
        what: 'time of a core, all services',
        measured: `${all.toFixed(1)} ms`,
        target: `<= ${mostMs} ms`,
        met: all <= mostMs,
      },
      ...services.map(rowOf),
      ...[...servers].map(rowOf),
      { what: 'transactions', measured: each(after.transactions - before.transactions).toFixed(0) },
    ]);
  } finally {
    await system.stop();
  }
}

async function measure({ pids, databaseUrl }: System): Promise<Measurement> {
  const woken = await Promise.all(
    [...pids].map(async ([name, pid]) => [name, (await wakeUps(pid)) ?? 0] as const),
  );
  return {
    cpu: await cpuOf(pids),
    woken: new Map(woken),
    transactions: await countTransactions(databaseUrl),
  };
}
