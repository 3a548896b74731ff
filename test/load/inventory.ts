import { setTimeout as delay } from 'node:timers/promises';
import kafkajs, { type Message } from 'kafkajs';
import pg from 'pg';
import { catalog, type EventData, inboundTopics } from '#contracts/events';
import { numbers } from '../../bench/inputs.js';
import { quantile } from '../../bench/measure.js';
import { coreMilliseconds } from '../../bench/processes.js';
import { count, type Row, report } from '../../bench/report.js';
import { countTransactions } from '../../bench/service/transactions.js';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import type { Three } from '../../scripts/infra/index.js';
import { startBareConsumer } from './bare-clients.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import { type System, startSystem } from './system.js';

const partition = 'inventory';
const sender = '/bench/inventory';
const settleMs = 3000;
const pageEveryMs = 10;
const withinMs = 120_000;

/** How allocations that start and go arrive, and the most that one may cost config-ingest beside the bare consumer. */
interface Arrival {
  how: string;
  messages: number;
  /** Infinity: all at once. */
  perSecond: number;
  target: number;
}

/** What one message cost, in core milliseconds. */
interface Cost {
  ingest: number;
  bare: number;
  transactions: number;
}

/**
 * What it costs that an allocation has started or gone, in core time of config-ingest less its idle rate, beside a bare consumer of the same
 * messages that arrive in the same way. docs/explanation/performance.md, "Inventory over Kafka"
 */
export async function benchInventory(three: Three, { rounds }: Scale): Promise<void> {
  const arrivals: Arrival[] = [
    { how: '100 a second', messages: rounds > 1 ? 2000 : 200, perSecond: 100, target: 0.7 },
    {
      how: 'as a backlog',
      messages: rounds > 1 ? 4000 : 400,
      perSecond: Number.POSITIVE_INFINITY,
      target: 0.15,
    },
  ];
  const system = await startSystem(three, { environment: { CURTAIL_CLUSTER: 'inventory' } });
  const topic = system.connection.topicName(inboundTopics.inventory);
  const producer = new kafkajs.Kafka({
    brokers: system.brokers,
    logLevel: kafkajs.logLevel.NOTHING,
  }).producer({
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
  });
  const database = new pg.Client({ connectionString: system.databaseUrl });
  const bare = await startBareConsumer(system, [topic]);
  try {
    await Promise.all([producer.connect(), database.connect()]);
    const draw = reports();
    const send = (messages: Message[]) => producer.send({ topic, messages });
    const handled = async (upTo: number) => {
      for (const end = performance.now() + withinMs; performance.now() < end; await delay(20)) {
        const { rows } = await database.query<{ newest: string }>(
          'SELECT newest_sequence AS newest FROM inventory_partitions WHERE partition = $1',
          [partition],
        );
        if (Number(rows[0]?.newest ?? 0) >= upTo && bare.handled() >= upTo) return;
      }
      throw new Error(`not all of ${upTo} reports were applied`);
    };
    let sent = 0;
    const sendAll = async (messages: number, perSecond: number) => {
      const began = performance.now();
      for (let done = 0; done < messages; ) {
        const due = Math.ceil(((performance.now() - began + pageEveryMs) / 1000) * perSecond);
        const page =
          Math.min(200, messages, due) === messages ? messages : Math.min(200, messages - done, due - done);
        if (page > 0) await send(draw(page));
        done += Math.max(0, page);
        if (perSecond < Number.POSITIVE_INFINITY) await delay(pageEveryMs);
      }
      sent += messages;
      await handled(sent);
    };
    await sendAll(1000, Number.POSITIVE_INFINITY);
    await sendAll(300, 100);
    for (const { how, messages, perSecond, target } of arrivals) {
      const costs: Cost[] = [];
      for (let round = 1; round <= rounds; round++) {
        await delay(settleMs);
        const idle = await used(system, bare.pid);
        await delay(settleMs);
        const before = await used(system, bare.pid);
        const began = performance.now();
        await sendAll(messages, perSecond);
        await delay(settleMs);
        const after = await used(system, bare.pid);
        const share = (performance.now() - began) / settleMs;
        const each = (of: keyof Cost) =>
          (after[of] - before[of] - (before[of] - idle[of]) * share) / messages;
        costs.push({ ingest: each('ingest'), bare: each('bare'), transactions: each('transactions') });
        progress(`inventory: ${how}, round ${round} of ${rounds}`);
      }
      report(`${count(messages)} allocations that started or went, ${how}, each`, rowsOf(costs, target));
    }
  } finally {
    bare.stop();
    await Promise.all([producer.disconnect(), database.end()]);
    await system.stop();
  }
}

/** Draws reports of one partition: allocations of heavy-tailed sizes start, and three of four go again. */
function reports(): (messages: number) => Message[] {
  const next = numbers(38);
  const running: string[] = [];
  let sequence = 0;
  const started = (): EventData<'AllocationStarted'> => {
    const id = `allocation-${sequence}`;
    running.push(id);
    return {
      ...{
        partition,
        sequence,
        id,
        uid: id,
        application: `app-${next(500)}`,
        queue: `root.team-${next(40)}`,
      },
      resources: { memory: 2 ** (next(8) + 30), vcore: 1000 * (1 + next(16)) },
      ...{ node: `node-${next(200)}`, priority: next(11), startedAt: new Date().toISOString() },
    };
  };
  return (messages) =>
    Array.from({ length: messages }, () => {
      sequence++;
      const [gone] = next(7) < 3 && running.length > 0 ? running.splice(next(running.length), 1) : [];
      return gone === undefined
        ? cloudEvent(sender, catalog.AllocationStarted.type, partition, started())
        : cloudEvent(sender, catalog.AllocationReleased.type, partition, {
            partition,
            sequence,
            id: gone,
            uid: gone,
          });
    });
}

async function used({ pids, databaseUrl }: System, bare: number): Promise<Cost> {
  const ingest = [...pids].find(([name]) => name.startsWith('config-ingest'))![1];
  return {
    ingest: (await coreMilliseconds(ingest)) ?? 0,
    bare: (await coreMilliseconds(bare)) ?? 0,
    transactions: await countTransactions(databaseUrl),
  };
}

function rowsOf(costs: readonly Cost[], target: number): Row[] {
  const median = (of: (cost: Cost) => number) => quantile(costs.map(of), 0.5);
  const ratio = median(({ ingest, bare }) => ingest / bare);
  return [
    {
      what: 'core time of config-ingest',
      measured: `${median(({ ingest }) => ingest).toFixed(3)} ms`,
      beside: `${median(({ bare }) => bare).toFixed(3)} ms bare consumer`,
      ratio: ratio.toFixed(2),
      target: `<= ${target}`,
      met: ratio <= target,
    },
    {
      what: 'transactions, the one of the bare consumer included',
      measured: median(({ transactions }) => transactions).toFixed(2),
    },
  ];
}
