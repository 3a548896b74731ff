import { setTimeout as delay } from 'node:timers/promises';
import { wakeUps } from '../../bench/processes.js';
import { count as amount, type Row, report } from '../../bench/report.js';
import { configuration, placeWork, submit } from '../../bench/service/load.js';
import { countTransactions } from '../../bench/service/transactions.js';
import type { Three } from '../../scripts/infra/index.js';
import { type Cpu, cpuOf, cpuSince } from './cpu.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';

/** Of the measured time. After two minutes a process has compiled, and V8 has collected what its start left: it does so within 100 s of the last full collection. */
const settleTimes = 4;
const mostMs = 30;
/** How often a clock is checked. */
const foresightSeconds = 300;

interface Measurement {
  cpu: Cpu;
  woken: ReadonlyMap<string, number>;
  transactions: number;
}

/** Clocks that wait one after the other, and how much more may be taken then than without any. */
const clocks = [
  { waiting: 1000, areAbove: true, mostMore: 5, of: 'planner' },
  { waiting: 10_000, areAbove: false, mostMore: 20, of: 'all services' },
] as const;

/** The cost of every idle service, then with clocks that wait; brokers and databases are listed separately. */
export async function benchDistributedIdle(three: Three, { idleSeconds, rounds }: Scale): Promise<void> {
  const system = await startSystem(three);
  try {
    await delay(settleTimes * idleSeconds * 1000);
    const none = await rates(three, system, idleSeconds);
    report('Nothing to do, every service a process, each second', [
      {
        what: 'time of a core, all services',
        measured: `${none.all.toFixed(1)} ms`,
        target: `<= ${mostMs} ms`,
        met: none.all <= mostMs,
      },
      ...none.rows,
    ]);
    for (const { waiting, areAbove, mostMore, of } of clocks) {
      const count = rounds > 1 ? waiting : waiting / 100;
      const partition = `clocks-${count}`;
      const load = { pending: 0, due: count, perSecond: Number.POSITIVE_INFINITY, leadMs: 6 * 3_600_000 };
      if (areAbove) await placeWork(system, load, partition);
      await submit(system, configuration(load, true, partition), partition);
      // Each clock of a queue above its quota is planned once.
      await delay((areAbove ? 2 : 1) * settleTimes * idleSeconds * 1000);
      // Long enough that each clock was checked by the interval.
      const some = await rates(three, system, rounds > 1 ? foresightSeconds : idleSeconds);
      const more = of === 'planner' ? some.planner - none.planner : some.all - none.all;
      report(
        `${amount(count)} clocks more wait, of queues ${areAbove ? 'above' : 'within'} their quotas, each second`,
        [
          {
            what: `time of a core, ${of}, above none`,
            measured: `${more.toFixed(1)} ms`,
            target: `<= ${mostMore} ms`,
            met: more <= mostMore,
          },
          ...some.rows,
        ],
      );
    }
  } finally {
    await system.stop();
  }
}

/** What each process takes in a second. */
async function rates(
  three: Three,
  system: System,
  seconds: number,
): Promise<{ all: number; planner: number; rows: Row[] }> {
  const before = await measure(system);
  await delay(seconds * 1000);
  const after = await measure(system);
  const cpu = cpuSince(before.cpu, after.cpu);
  const servers = new Set([three.kafka.name, three.redis.name, three.postgres.name]);
  const services = [...system.pids.keys()].filter((name) => !servers.has(name));
  const each = (of: number | undefined) => (of ?? 0) / seconds;
  const rowOf = (name: string): Row => ({
    what: `  ${name}`,
    measured: `${each(cpu.get(name)).toFixed(1)} ms`,
    beside: `${each((after.woken.get(name) ?? 0) - (before.woken.get(name) ?? 0)).toFixed(0)} wake-ups`,
  });
  return {
    all: services.reduce((sum, name) => sum + each(cpu.get(name)), 0),
    planner: services
      .filter((name) => name.startsWith('planner'))
      .reduce((sum, name) => sum + each(cpu.get(name)), 0),
    rows: [
      ...services.map(rowOf),
      ...[...servers].map(rowOf),
      { what: 'transactions', measured: each(after.transactions - before.transactions).toFixed(0) },
    ],
  };
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
