import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import { seconds } from '../measure.js';
import { cpuSeconds } from '../processes.js';
import { count, type Row, ratio, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { type Application, startApplication } from './application.js';
import { fillLargeQueue, largeConfiguration, submit } from './load.js';

const rounds = 3;
const delayMs = 1000;
/** A page of the executor, which the bare client commits at once, too. */
const page = 64;
const mostMs = 600_000;

interface Round {
  /** Due time to the commit of the plan. */
  toPlan: number;
  /** Commit of the plan to the last eviction. */
  evicting: number;
  /** Last eviction to the read model that shows it. */
  shown: number;
  bare: number;
  cpu: { process: number; database: number } | undefined;
}

/**
 * One run that takes a share of a large queue in one process, on its embedded, durable PostgreSQL, without a limit of its rate:
 * from its due time to the plan, and from the plan to the last eviction. Beside it a bare client marks as many rows of the same table
 * as leaving, in pages of the same size.
 */
export async function benchEvictions(): Promise<void> {
  const cases = [
    { allocations: 25_000, victims: 10_000 },
    { allocations: 100_000, victims: 40_000 },
  ];
  const best: Round[] = [];
  for (const of of cases) {
    const all: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      all.push(
        await withFolder(async (folder) => {
          const application = await startApplication(folder, {
            CURTAIL_VICTIMS_PER_SECOND: '10000',
            CURTAIL_APPROVE_ABOVE_VICTIMS: '1000000',
            CURTAIL_APPROVE_ABOVE_PERCENT: '100',
          });
          return measure(application, of).finally(() => application.stop());
        }),
      );
    }
    best.push(all.toSorted((a, b) => a.evicting - b.evicting)[0]!);
    report(
      `One run, ${count(of.victims)} victims among ${count(of.allocations)} allocations, best of ${rounds} rounds`,
      rowsOf(best.at(-1)!, of.victims),
    );
  }
  const [few, many] = best.map(({ evicting }) => evicting);
  report('Four times as many victims', [
    {
      what: 'from the plan to the last eviction',
      measured: seconds(many!),
      beside: seconds(few!),
      ratio: ratio(many!, few!),
      target: '<= 4.4',
      met: many! <= 4.4 * few!,
    },
  ]);
}

async function measure(
  application: Application,
  { allocations, victims }: { allocations: number; victims: number },
): Promise<Round> {
  const database = await openDatabase(application.databaseUrl, { poolSize: 2 });
  try {
    await fillLargeQueue(application, { allocations, queues: 1000 });
    await submit(application, largeConfiguration(allocations, delayMs));
    await submit(application, largeConfiguration(allocations - victims, delayMs));
    const before = await untilEvent(database, 'plan.computed').then(() =>
      cpuSeconds(application.pid, application.databasePid),
    );
    await untilEvent(database, 'enforcement.ended');
    const after = await cpuSeconds(application.pid, application.databasePid);
    const endSeen = performance.now();
    await untilShown(application, victims);
    const shown = performance.now() - endSeen;
    const times = await timesOf(database);
    return {
      ...times,
      shown,
      bare: await bareClient(database, victims),
      cpu: before &&
        after && { process: after.process - before.process, database: after.database - before.database },
    };
  } finally {
    await database.destroy();
  }
}

/** Of the run with victims: the first configuration enforces a quota that nothing exceeds. */
const isOfRun = `data ->> 'enforcement' = (
  SELECT data ->> 'enforcement' FROM events WHERE type = 'io.curtail.execution.opened.v1' LIMIT 1)`;

async function untilEvent(database: DataSource, name: string): Promise<void> {
  const began = performance.now();
  for (; performance.now() - began < mostMs; await delay(100)) {
    const found: unknown[] = await database.query(
      `SELECT FROM events WHERE type = 'io.curtail.${name}.v1' AND (${isOfRun}) LIMIT 1`,
    );
    if (found.length > 0) return;
  }
  throw new Error(`no ${name} within ${seconds(mostMs)}`);
}

async function untilShown({ url }: Application, victims: number): Promise<void> {
  const began = performance.now();
  for (; performance.now() - began < mostMs; await delay(20)) {
    const response = await fetch(`${url}/v1/enforcements?limit=1`);
    const { items } = (await response.json()) as { items: { evicted: number; state: string }[] };
    if (items[0]?.evicted === victims && items[0].state === 'ended') return;
  }
  throw new Error(`the read model does not show ${victims} evictions within ${seconds(mostMs)}`);
}

async function timesOf(database: DataSource): Promise<{ toPlan: number; evicting: number }> {
  const [row]: { toPlan: number; evicting: number }[] = await database.query(
    `SELECT date_part('epoch', planned.time - (started.data ->> 'dueAt')::timestamptz) * 1000 AS "toPlan",
            date_part('epoch', (SELECT max(time) FROM events WHERE type = 'io.curtail.victim.evicted.v1') - planned.time) * 1000 AS evicting
     FROM events planned JOIN events started ON started.type = 'io.curtail.enforcement.started.v1'
       AND started.data ->> 'enforcement' = planned.data ->> 'enforcement'
     WHERE planned.type = 'io.curtail.plan.computed.v1' AND planned.${isOfRun}`,
  );
  return row!;
}

/** Marks as many allocations that still run, and writes the history of it. */
async function bareClient(database: DataSource, victims: number): Promise<number> {
  const rows: { id: string }[] = await database.query(
    "SELECT id FROM simulated_allocations WHERE state = 'running' LIMIT $1",
    [victims],
  );
  const began = performance.now();
  for (let from = 0; from < rows.length; from += page) {
    const ids = rows.slice(from, from + page).map(({ id }) => id);
    await database.transaction((tx) =>
      tx.query(
        `WITH killed AS (
           UPDATE simulated_allocations SET state = 'releasing', eviction_id = 'bare-' || id, gone_at = now() + interval '1 hour'
           WHERE partition = 'default' AND id = ANY ($1) RETURNING *
         )
         INSERT INTO simulated_evictions (partition, allocation, uid, queue, resources, eviction_id, at)
         SELECT partition, id, uid, queue, resources, eviction_id, now() FROM killed`,
        [ids],
      ),
    );
  }
  return ((performance.now() - began) * victims) / rows.length;
}

function rowsOf({ toPlan, evicting, shown, bare, cpu }: Round, victims: number): Row[] {
  const perSecond = (ms: number) => `${seconds(ms)}, ${((victims * 1000) / ms).toFixed(0)}/s`;
  return [
    { what: 'due to the recorded plan', measured: seconds(toPlan) },
    {
      what: 'from the plan to the last eviction',
      measured: perSecond(evicting),
      beside: perSecond(bare),
      ratio: ratio(evicting, bare),
      target: '>= 500/s',
      met: (victims * 1000) / evicting >= 500,
    },
    {
      what: 'the last eviction to the read model',
      measured: seconds(shown),
      target: '<= 1 s',
      met: shown <= 1000,
    },
    ...(cpu
      ? [
          {
            what: 'time of a core for each 1,000: process, database',
            measured: [cpu.process, cpu.database]
              .map((ofWhat) => seconds((ofWhat * 1_000_000) / victims))
              .join(', '),
          },
        ]
      : []),
  ];
}
