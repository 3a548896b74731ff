import { catalog, topics } from '#contracts/events';
import { openDatabase } from '#event-store';
import { milliseconds, seconds } from '../measure.js';
import { cpuSeconds, peakMemory } from '../processes.js';
import { count, type Row, ratio, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { type Application, startApplication } from './application.js';
import { submit } from './load.js';
import { watchLog } from './watch.js';

const rounds = 3;
export const changedQuotas = 10_000;
/** With the root and its groups a hundred thousand, the most that a configuration may have. */
const manyQueues = 99_899;
const clocksWithinMs = 2000;

interface Round {
  answer: number;
  allSet: number;
  bare: number;
  cpu: { process: number; database: number } | undefined;
}

/**
 * One configuration that changes ten thousand quotas: until it is answered, and until all clocks are set. Beside it a bare client writes as
 * many rows of the same tables in as few statements. Then a partition with a hundred thousand queues.
 */
export async function benchConfigurations(): Promise<void> {
  const all: Round[] = [];
  for (let round = 0; round < rounds; round++) all.push(await withApplication(changeQuotas));
  const best = all.toSorted((a, b) => a.allSet - b.allSet)[0]!;
  report(`One configuration with ${count(changedQuotas)} changed quotas, best of ${rounds} rounds`, [
    { what: 'the answer to PUT', measured: seconds(best.answer) },
    {
      what: 'PUT to all clocks set',
      measured: seconds(best.allSet),
      beside: seconds(best.bare),
      ratio: ratio(best.allSet, best.bare),
      target: `<= ${seconds(clocksWithinMs)}`,
      met: best.allSet <= clocksWithinMs,
    },
    ...(best.cpu
      ? [
          {
            what: 'time of a core: process, database',
            measured: `${seconds(best.cpu.process * 1000)}, ${seconds(best.cpu.database * 1000)}`,
          },
        ]
      : []),
  ]);
  report(`A partition with 100,000 queues`, await withApplication(useManyQueues));
}

function withApplication<T>(work: (application: Application) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const application = await startApplication(folder);
    return work(application).finally(() => application.stop());
  });
}

/** The second configuration lowers every quota of the first. */
async function changeQuotas(application: Application): Promise<Round> {
  const watch = await watchLog(application.databaseUrl, [topics.enforcement]);
  try {
    await submit(application, quotas(changedQuotas, 20));
    await watch.until(catalog.EnforcementScheduled.type, changedQuotas, 120_000);
    const before = await cpuSeconds(application.pid, application.databasePid);
    const began = performance.now();
    const answer = await submit(application, quotas(changedQuotas, 10));
    await watch.until(catalog.EnforcementRescheduled.type, changedQuotas, 120_000);
    const allSet = performance.now() - began;
    const after = await cpuSeconds(application.pid, application.databasePid);
    return {
      answer,
      allSet,
      bare: await bareClient(application),
      cpu: before &&
        after && { process: after.process - before.process, database: after.database - before.database },
    };
  } finally {
    await watch.stop();
  }
}

/** Writes the rows of both services again, under other names: events, queues, clocks, timers. */
async function bareClient({ databaseUrl }: Application): Promise<number> {
  const database = await openDatabase(databaseUrl, { poolSize: 1 });
  try {
    const eventsOf = (type: string, topic: string) =>
      `INSERT INTO events (transaction_id, stream, version, id, type, topic, partition, key, time, data, schema_version)
       SELECT log_transaction_id(), 'bare-' || stream, version, gen_random_uuid(), type, '${topic}', partition, key, time, data, schema_version
       FROM events WHERE type = '${type}' ORDER BY position DESC LIMIT ${changedQuotas}`;
    const began = performance.now();
    await database.transaction(async (tx) => {
      await tx.query(eventsOf(catalog.QuotaChanged.type, 'bare'));
      await tx.query(
        `INSERT INTO queues (partition, path, max, guaranteed, delay_ms, parent, properties, cluster_share)
         SELECT 'bare', path, max, guaranteed, delay_ms, parent, properties, cluster_share FROM queues`,
      );
    });
    await database.transaction(async (tx) => {
      await tx.query(eventsOf(catalog.EnforcementRescheduled.type, 'bare'));
      await tx.query(
        `INSERT INTO clocks (partition, queue, version, state, config_version)
         SELECT 'bare', queue, version, state, config_version FROM clocks`,
      );
      await tx.query(
        `INSERT INTO timers (kind, partition, name, generation, due_at, state)
         SELECT kind, 'bare', name, generation, due_at, state FROM timers WHERE kind = 'quota-decrease'`,
      );
    });
    return performance.now() - began;
  } finally {
    await database.destroy();
  }
}

async function useManyQueues(application: Application): Promise<Row[]> {
  const rows: Row[] = [];
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    await work();
    rows.push({ what, measured: seconds(performance.now() - began) });
  };
  await timed('PUT of all', () => submit(application, quotas(manyQueues, 20)));
  await timed('the same again', () => submit(application, quotas(manyQueues, 20)));
  await timed('PUT with one quota lowered', () => submit(application, quotas(manyQueues, 20, 1)));
  await timed('dry run with one quota lowered', () => dryRun(application, quotas(manyQueues, 20, 2)));
  await timed('all queues listed, in pages of 1,000', () => listAll(application));
  const pages = [await pageTime(application, ''), await pageTime(application, 'root.group-99')];
  rows.push({
    what: 'a page of 100 at the beginning, at the end',
    measured: pages.map(milliseconds).join(', '),
  });
  const peak = await peakMemory(application.pid);
  if (peak !== undefined)
    rows.push({ what: 'memory of the process, at most', measured: `${Math.round(peak / 2 ** 20)} MB` });
  return rows;
}

async function dryRun({ url }: Application, body: unknown): Promise<void> {
  const response = await fetch(`${url}/v1/partitions/default/config?dryRun=true`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the dry run was refused: ${await response.text()}`);
  await response.arrayBuffer();
}

async function listAll({ url }: Application): Promise<void> {
  let found = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const response = await fetch(`${url}/v1/queues?limit=1000${after ? `&after=${after}` : ''}`);
    const page = (await response.json()) as { items: unknown[]; next?: string };
    found += page.items.length;
    after = page.next;
  }
  if (found < manyQueues) throw new Error(`${found} queues are listed`);
}

async function pageTime({ url }: Application, after: string): Promise<number> {
  const began = performance.now();
  await (await fetch(`${url}/v1/queues?limit=100${after ? `&after=${after}` : ''}`)).arrayBuffer();
  return performance.now() - began;
}

/** Queues in groups of a thousand, each with a quota and a delay; the first `lowered` of them have a lower one. */
export function quotas(queues: number, cores: number, lowered = 0): unknown {
  const groups = Math.ceil(queues / 1000);
  return {
    partitions: [
      {
        name: 'default',
        preemption: { quotapreemptionenabled: true },
        queues: [
          {
            name: 'root',
            queues: Array.from({ length: groups }, (_, group) => ({
              name: `group-${group}`,
              queues: Array.from({ length: Math.min(1000, queues - group * 1000) }, (_, i) => ({
                name: `team-${i}`,
                resources: {
                  guaranteed: { vcore: '1' },
                  max: { vcore: String(group * 1000 + i < lowered ? cores - 1 : cores), memory: '100G' },
                },
                properties: { 'quota.preemption.delay': '1h' },
              })),
            })),
          },
        ],
      },
    ],
  };
}
