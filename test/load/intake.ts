import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Message } from 'kafkajs';
import pg from 'pg';
import { catalog, inboundTopics } from '#contracts/events';
import { numbers } from '../../bench/inputs.js';
import { quantile, seconds } from '../../bench/measure.js';
import { count, type Row, report } from '../../bench/report.js';
import { countTransactions } from '../../bench/service/transactions.js';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import type { Three } from '../../scripts/infra/index.js';
import { countStatements } from './count-statements.js';
import { type Cpu, cpuOf, cpuSince } from './cpu.js';
import { bareConsumer, idleRate } from './intake-floor.js';
import { benchInventory } from './inventory.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';

const partitions = 10;
const sender = '/bench/intake';
const settleMs = 3000;
const stopTargetMs = 1000;
const withinMs = 300_000;

/** Configurations of one size: each lowers or raises the quota of one queue. */
interface Size {
  queues: number;
  messages: number;
  /** Of the sum of all services, or of the config ingest alone, to the floor. */
  of: 'all services' | 'config-ingest';
  target: number;
}

/**
 * What configurations that arrive over Kafka cost, in core time less that of idle services, beside the floor: a bare consumer that parses
 * the same messages and inserts a row for each. Sizes of queues are heavy-tailed; messages wait as a backlog. Then the brake: how long a
 * stop takes while 5,000 configurations are worked on. docs/explanation/performance.md, "How it is measured"
 */
export async function benchIntake(three: Three, scale: Scale): Promise<void> {
  const { rounds } = scale;
  const isWhole = rounds > 1;
  const sizes: Size[] = [
    { queues: 20, messages: isWhole ? 500 : 50, of: 'all services', target: 6 },
    { queues: 1000, messages: isWhole ? 200 : 20, of: 'config-ingest', target: 4 },
    { queues: 10_000, messages: isWhole ? 50 : 5, of: 'config-ingest', target: 2.5 },
  ];
  await benchInventory(three, scale);
  const system = await startSystem(three);
  const kafka = new kafkajs.Kafka({
    brokers: system.brokers,
    clientId: 'bench',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  const database = new pg.Client({ connectionString: system.databaseUrl });
  try {
    await Promise.all([producer.connect(), database.connect()]);
    const topic = system.connection.topicName(inboundTopics.submissions);
    const send = async (messages: Message[]) => {
      for (let from = 0; from < messages.length; from += 20)
        await producer.send({ topic, messages: messages.slice(from, from + 20) });
    };
    const arrived = (prefix: string, wanted: number) => until(database, prefix, wanted);
    for (const { queues, messages, of, target } of sizes) {
      const draw = configurations(queues);
      await send(draw('warm-up', 2 * partitions));
      await arrived(`warm-up-${queues}-`, 2 * partitions);
      await clocksOf(database, `p${queues}-`, queues * partitions);
      const idle = await idleRate(system.pids);
      const idleTransactions = await transactionRate(system.databaseUrl);
      const idleStatements = (await countStatements(three, database, () => delay(settleMs))) / settleMs;
      const results: { cpu: Cpu; ms: number; transactions: number; floor: number }[] = [];
      for (let round = 1; round <= rounds; round++) {
        const all = draw(`round-${round}`, messages);
        const transactions = await countTransactions(system.databaseUrl);
        const before = await cpuOf(system.pids);
        const began = performance.now();
        await send(all);
        await arrived(`round-${round}-${queues}-`, messages);
        await delay(settleMs);
        const ms = performance.now() - began;
        const cpu = cpuSince(before, await cpuOf(system.pids));
        results.push({
          cpu: new Map(
            [...cpu].map(([name, used]) => [name, (used - ((idle.get(name) ?? 0) * ms) / 1000) / messages]),
          ),
          ms,
          transactions:
            ((await countTransactions(system.databaseUrl)) - transactions - (idleTransactions * ms) / 1000) /
            messages,
          floor: (await bareConsumer(kafka, database, topic, all)) / messages,
        });
        progress(`intake: ${count(queues)} queues, round ${round} of ${rounds}`);
      }
      const all = draw('statements', messages);
      const began = performance.now();
      const sent = await countStatements(three, database, async () => {
        await send(all);
        await arrived(`statements-${queues}-`, messages);
        await delay(settleMs);
      });
      const statements = (sent - idleStatements * (performance.now() - began)) / messages;
      report(
        `${count(messages)} configurations of ${count(queues)} queues, one changed, each`,
        rowsOf(three, results, { of, target, statements }),
      );
    }
    await brake(system, database, send);
  } finally {
    await Promise.all([producer.disconnect(), database.end()]);
    await system.stop();
  }
}

const delays = ['10m', '1h', '3h', '6h'];

const configuration = (partition: string, amounts: readonly number[]) => ({
  partitions: [
    {
      name: partition,
      preemption: { quotapreemptionenabled: true },
      queues: [
        {
          name: 'root',
          queues: amounts.map((amount, i) => ({
            name: `team-${i}`,
            resources: { max: { memory: `${amount}G`, vcore: Math.ceil(amount / 4) } },
            properties: { 'quota.preemption.delay': delays[i % delays.length] },
          })),
        },
      ],
    },
  ],
});

/** Draws configurations; each differs in one queue from the one before of its partition. */
function configurations(queues: number): (prefix: string, messages: number) => Message[] {
  const next = numbers(7 + queues);
  const drawn = Array.from({ length: queues }, () => Math.ceil(2 ** (next(12) + 4)));
  const amountsOf = Array.from({ length: partitions }, () => [...drawn]);
  return (prefix, messages) =>
    Array.from({ length: messages }, (_, i) => {
      const partition = `p${queues}-${i % partitions}`;
      const amounts = amountsOf[i % partitions]!;
      const changed = next(queues);
      amounts[changed] = Math.max(1, amounts[changed]! + (next(2) === 0 ? -1 : 1));
      const submission = `${prefix}-${queues}-${i}`;
      return cloudEvent(sender, catalog.ConfigSubmitted.type, partition, {
        partition,
        submission,
        configuration: configuration(partition, amounts),
      });
    });
}

async function until(database: pg.Client, prefix: string, wanted: number): Promise<void> {
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(100)) {
    const { rows } = await database.query<{ found: number }>(
      'SELECT count(*)::int AS found FROM configurations WHERE starts_with(submission, $1)',
      [prefix],
    );
    if (rows[0]!.found >= wanted) return;
  }
  throw new Error(`not all of ${wanted} configurations ${prefix} came into force`);
}

/** Resolves when the queues of some partitions have their clocks. */
async function clocksOf(database: pg.Client, partitions: string, wanted: number): Promise<void> {
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(settleMs)) {
    const { rows } = await database.query<{ found: number }>(
      'SELECT count(*)::int AS found FROM clocks WHERE starts_with(partition, $1)',
      [partitions],
    );
    if (rows[0]!.found >= wanted) return;
  }
  throw new Error(`not all of ${wanted} queues have clocks`);
}

/** Transactions a second while nothing arrives. */
async function transactionRate(databaseUrl: string): Promise<number> {
  const before = await countTransactions(databaseUrl);
  await delay(settleMs);
  return ((await countTransactions(databaseUrl)) - before) / (settleMs / 1000);
}

function rowsOf(
  three: Three,
  results: { cpu: Cpu; ms: number; transactions: number; floor: number }[],
  { of, target, statements }: Pick<Size, 'of' | 'target'> & { statements: number },
): Row[] {
  const servers: ReadonlySet<string> = new Set([three.kafka.name, three.redis.name, three.postgres.name]);
  const median = (value: (result: (typeof results)[number]) => number) => quantile(results.map(value), 0.5);
  const names = [...results[0]!.cpu.keys()].filter((name) => name !== 'this benchmark');
  const services = names.filter((name) => !servers.has(name));
  const isOf = (name: string) => of === 'all services' || name.startsWith(of);
  const sum = (cpu: Cpu, wanted: (name: string) => boolean) =>
    services.filter(wanted).reduce((so, name) => so + (cpu.get(name) ?? 0), 0);
  const ratio = median(({ cpu, floor }) => sum(cpu, isOf) / floor);
  const most = (what: string, measured: number, target: number): Row => {
    return { what, measured: measured.toFixed(1), target: `<= ${target}`, met: measured <= target };
  };
  const milliseconds = (ms: number) => `${ms.toFixed(2)} ms`;
  return [
    {
      what: `core time of ${of}`,
      measured: milliseconds(median(({ cpu }) => sum(cpu, isOf))),
      beside: `${milliseconds(median(({ floor }) => floor))} bare consumer`,
      ratio: ratio.toFixed(1),
      target: `<= ${target}`,
      met: ratio <= target,
    },
    ...names.map((name) => ({
      what: `  ${name}`,
      measured: milliseconds(median(({ cpu }) => cpu.get(name) ?? 0)),
    })),
    ...(of === 'all services'
      ? [
          most(
            'transactions',
            median(({ transactions }) => transactions),
            4,
          ),
          most('statements', statements, 15),
        ]
      : []),
  ];
}

/** A stop of each of some queues while a backlog of configurations is worked on. */
async function brake(
  { consoleUrl }: System,
  database: pg.Client,
  send: (messages: Message[]) => Promise<void>,
): Promise<void> {
  const messages = configurations(20)('brake', 5000);
  let isOver = false;
  const working = send(messages)
    .then(() => until(database, 'brake-20-', messages.length))
    .finally(() => {
      isOver = true;
    });
  working.catch(() => {});
  const times: number[] = [];
  for (let i = 0; !isOver; i++) {
    const began = performance.now();
    const response = await fetch(`${consoleUrl}/v1/kill-switch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ partition: `p20-${i % partitions}`, queue: 'root.team-1', by: 'bench' }),
    });
    if (!response.ok) throw new Error(`a stop was refused: ${await response.text()}`);
    await response.arrayBuffer();
    times.push(performance.now() - began);
    await delay(200);
  }
  await working;
  const longest = Math.max(...times);
  report(`Stops while ${count(messages.length)} configurations are worked on`, [
    { what: 'a stop, p50', measured: seconds(quantile(times, 0.5)) },
    {
      what: `a stop, the slowest of ${times.length}`,
      measured: seconds(longest),
      target: `<= ${seconds(stopTargetMs)}`,
      met: longest <= stopTargetMs,
    },
  ]);
}
