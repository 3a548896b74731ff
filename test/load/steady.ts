import { catalog, topics } from '#contracts/events';
import { milliseconds, quantile } from '../../bench/measure.js';
import { type Row, report } from '../../bench/report.js';
import { configuration, placeWork, submit } from '../../bench/service/load.js';
import type { Three } from '../../scripts/infra/index.js';
import { type Cpu, cpuOf, cpuRows, cpuSince } from './cpu.js';
import { progress } from './progress.js';
import { type RunTimes, readRuns } from './run-times.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';
import { watchTopics } from './watch-topics.js';

const targets = { p50: 30, p99: 150 };
const warmUpSeconds = 30;
const leadMs = 6000;
const idleMs = 5000;

interface Round {
  runs: RunTimes[];
  cpu: Cpu;
  /** Runs that ended while the CPU was taken. */
  ended: number;
  /** Of the processes with nothing to do, in ms of a core a second. */
  idle: Cpu;
}

/**
 * Measures the way from the due time to the first kill request through all services and Kafka: clocks become due one after
 * the other, each starts a run that plans and evicts one allocation of two.
 */
export async function benchSteady(three: Three, scale: Scale): Promise<void> {
  let best: Round | undefined;
  for (let round = 1; round <= scale.rounds; round++) {
    const system = await startSystem(three);
    const measured = await measure(system, scale).finally(() => system.stop());
    const killed = measured.runs.map((run) => run.killed);
    progress(
      `steady: round ${round} of ${scale.rounds}: due to kill p50 ${milliseconds(quantile(killed, 0.5))}, p99 ${milliseconds(quantile(killed, 0.99))}`,
    );
    if (!best || p99(measured) < p99(best)) best = measured;
  }
  const title = `Due time to first kill request, ${scale.steadyPerSecond} enforcements/s for ${scale.steadySeconds} s, best of ${scale.rounds} rounds`;
  if (best) report(title, rowsOf(best));
}

const p99 = ({ runs }: Round) =>
  quantile(
    runs.map((run) => run.killed),
    0.99,
  );

async function measure(system: System, scale: Scale): Promise<Round> {
  const { steadyPerSecond: perSecond, steadySeconds } = scale;
  const warm = warmUpSeconds * perSecond;
  const due = warm + steadySeconds * perSecond;
  const watch = await watchTopics(system, [topics.enforcement]);
  try {
    const quiet = await cpuOf(system.pids);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const idle = cpuSince(quiet, await cpuOf(system.pids));

    const load = { pending: 0, due, perSecond, leadMs };
    await placeWork(system, load);
    await submit(system, configuration(load, true));
    await watch.until(catalog.EnforcementEnded.type, warm, 120_000);
    const [before, from] = [await cpuOf(system.pids), watch.count(catalog.EnforcementEnded.type)];
    await watch.until(catalog.EnforcementEnded.type, due, 120_000);
    const cpu = cpuSince(before, await cpuOf(system.pids));
    const runs = await readRuns(system, watch.seen(catalog.EnforcementStarted.type));
    return {
      runs: runs.filter(({ queue }) => Number(/\d+$/.exec(queue)?.[0]) >= warm),
      cpu,
      ended: due - from,
      idle: new Map([...idle].map(([name, used]) => [name, used / (idleMs / 1000)])),
    };
  } finally {
    await watch.stop();
  }
}

function rowsOf({ runs, cpu, ended, idle }: Round): Row[] {
  const late = (what: string, of: (run: RunTimes) => number): Row => ({
    what,
    measured: `${milliseconds(quantile(runs.map(of), 0.5))} / ${milliseconds(quantile(runs.map(of), 0.99))}`,
  });
  const killed = runs.map((run) => run.killed);
  const met = quantile(killed, 0.5) <= targets.p50 && quantile(killed, 0.99) <= targets.p99;
  return [
    {
      ...late(`due to first kill request, ${runs.length} runs, p50 / p99`, (run) => run.killed),
      target: `p50 <= ${targets.p50} ms, p99 <= ${targets.p99} ms`,
      met,
    },
    late('  due to EnforcementStarted, as it says', (run) => run.started),
    late('  due to EnforcementStarted, seen on Kafka', (run) => run.seen),
    late('  due to PlanComputed', (run) => run.planned),
    late('  due to VictimOrdered', (run) => run.ordered),
    ...cpuRows('for each run', cpu, ended),
    ...cpuRows('each second with nothing to do', idle, 1),
  ];
}
