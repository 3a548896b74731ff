import { setTimeout as delay } from 'node:timers/promises';
import { catalog, topics } from '#contracts/events';
import { seconds } from '../../bench/measure.js';
import { proportionalMemory } from '../../bench/processes.js';
import { count, type Row, report } from '../../bench/report.js';
import { fillSimulated, submit, usualPartition } from '../../bench/service/load.js';
import type { Three } from '../../scripts/infra/index.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { type System, servicesOf, startSystem } from './system.js';
import { watchTopics } from './watch-topics.js';

const megabyte = 2 ** 20;
const mostMegabytes = 2500;
const sampledEveryMs = 1000;
const restMs = 20_000;
const delayMs = 5000;
const endedWithinMs = 900_000;
const perQueue = 10;
const under = 'root.work';

/**
 * The memory of all services together, as proportional set sizes, while one partition has very many queues with ten allocations
 * each: after the first configuration, while one queue is lowered, and while all queues together are lowered by a tenth.
 */
export async function benchQueues(three: Three, { wide }: Scale): Promise<void> {
  const system = await startSystem(three, { environment: { CURTAIL_VICTIMS_PER_SECOND: '10000' } });
  const memory = new MemoryOfServices(system);
  const watch = await watchTopics(system, [topics.enforcement, topics.plans]);
  const rows: Row[] = [];
  const step = async (what: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    memory.startStep();
    await work();
    const took = performance.now() - began;
    await delay(restMs);
    const rest = await memory.now();
    const { most, byService } = memory.peak;
    progress(
      `queues: ${what}: ${seconds(took)}, ${most.toFixed(0)} MB (${byService}), then ${rest.toFixed(0)} MB`,
    );
    rows.push({
      what,
      measured: `${most.toFixed(0)} MB, then ${rest.toFixed(0)} MB, ${seconds(took)}`,
      target: `<= ${mostMegabytes} MB`,
      met: most <= mostMegabytes,
    });
  };
  const ended = async (number: number) => {
    await watch.until(catalog.EnforcementReleased.type, number, endedWithinMs, usualPartition);
  };
  try {
    await fill(system, wide);
    await step('the first configuration in force', () => submit(system, configuration(wide)));
    await step('one queue lowered, its run over', async () => {
      await submit(system, configuration(wide, { oneQueue: 5 }));
      await ended(1);
    });
    await step('all lowered by a tenth, the run over', async () => {
      await submit(system, configuration(wide, { oneQueue: 5, all: wide * perQueue * 0.9 }));
      await watch.until(catalog.PlanComputed.type, 2, endedWithinMs, usualPartition);
      await approveLatest(system);
      await ended(2);
    });
    report(`Memory with ${count(wide)} queues and ${count(wide * perQueue)} allocations`, rows);
  } finally {
    memory.stop();
    await watch.stop();
    await system.stop();
  }
}

/** So many victims at once wait for a person. */
async function approveLatest({ consoleUrl }: System): Promise<void> {
  for (;;) {
    const latest = await fetch(`${consoleUrl}/v1/enforcements?limit=1`);
    const { items } = (await latest.json()) as { items: { enforcement: string; state: string }[] };
    if (items[0]?.state === 'waiting for approval') {
      const answer = await fetch(`${consoleUrl}/v1/enforcements/${items[0].enforcement}/approve`, {
        method: 'POST',
      });
      await answer.body?.cancel();
      return;
    }
    await delay(sampledEveryMs);
  }
}

const fill = (system: System, queues: number) =>
  fillSimulated(system, {
    under,
    queues,
    depth: 2,
    allocations: queues * perQueue,
    resources: [{ memory: 4_000_000_000, vcore: 1000 }],
    daemonsPercent: 0,
    unwillingPercent: 0,
    originators: false,
  });

/** As `loadSimulated` names the queues of two levels. */
function configuration(queues: number, quotas: { oneQueue?: number; all?: number } = {}): unknown {
  const width = Math.ceil(Math.sqrt(queues));
  const properties = (isLowered: boolean) => ({
    'quota.preemption.delay': isLowered ? `${delayMs}ms` : '1h',
  });
  const leaf = (index: number) => {
    const lowered = index === 0 ? quotas.oneQueue : undefined;
    return {
      name: `q${index}`,
      resources: { max: { vcore: String(lowered ?? 20), memory: '100G' } },
      properties: properties(lowered !== undefined),
    };
  };
  const groups = Array.from({ length: Math.ceil(queues / width) }, (_, group) => ({
    name: `g${group}`,
    queues: Array.from({ length: Math.min(width, queues - group * width) }, (_, i) =>
      leaf(group * width + i),
    ),
  }));
  const work = {
    name: under.slice('root.'.length),
    resources: { max: { vcore: String(quotas.all ?? queues * perQueue) } },
    properties: properties(quotas.all !== undefined),
    queues: groups,
  };
  return {
    partitions: [
      {
        name: usualPartition,
        preemption: { quotapreemptionenabled: true },
        queues: [{ name: 'root', queues: [work] }],
      },
    ],
  };
}

/** Reads the proportional set sizes of the services, not of the servers, once a second. */
class MemoryOfServices {
  peak = { most: 0, byService: '' };
  private readonly services: [name: string, pid: number][];
  private readonly stopped = new AbortController();

  constructor({ pids }: System) {
    this.services = servicesOf(pids);
    void this.sample();
  }

  startStep(): void {
    this.peak = { most: 0, byService: '' };
  }

  async now(): Promise<number> {
    const each = await Promise.all(
      this.services.map(async ([name, pid]) => ({
        name,
        megabytes: ((await proportionalMemory(pid)) ?? 0) / megabyte,
      })),
    );
    const most = each.reduce((sum, { megabytes }) => sum + megabytes, 0);
    if (most > this.peak.most) {
      const byService = each.map(({ name, megabytes }) => `${name} ${megabytes.toFixed(0)}`).join(', ');
      this.peak = { most, byService };
    }
    return most;
  }

  stop(): void {
    this.stopped.abort();
  }

  private async sample(): Promise<void> {
    while (!this.stopped.signal.aborted) {
      await this.now();
      await delay(sampledEveryMs, undefined, { signal: this.stopped.signal }).catch(() => {});
    }
  }
}
