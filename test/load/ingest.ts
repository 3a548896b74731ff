import { catalog, topics } from '#contracts/events';
import { beginning, type Outgoing, openDatabase, readOutgoing } from '#event-store';
import { relayPageSize } from '#messaging/kafka';
import { seconds } from '../../bench/measure.js';
import { count, type Row, report } from '../../bench/report.js';
import { configuration, submit } from '../../bench/service/load.js';
import { messageOf } from '../../libs/messaging/src/kafka/outgoing-message.js';
import type { Three } from '../../scripts/infra/index.js';
import { type BareRow, bareProducer, bareTable } from './bare-clients.js';
import { type Cpu, cpuOf, cpuRows, cpuSince } from './cpu.js';
import { progress } from './progress.js';
import { type Scale } from './scale.js';
import { type System, startSystem } from './system.js';
import { type TopicWatch, watchTopics } from './watch-topics.js';

const leastRatio = 0.5;

interface Round {
  ms: number;
  /** The answer to the request. */
  answerMs: number;
  cpu: Cpu;
}

/**
 * Measures the way of a configuration in which every quota was lowered, until a bare consumer has seen all changes and all
 * clocks; beside it the bare clients, which insert the same events in pages of the relay's size and send each page.
 */
export async function benchIngest(three: Three, { rounds, queues }: Scale): Promise<void> {
  const system = await startSystem(three);
  const watch = await watchTopics(system, [topics.quota, topics.enforcement]);
  try {
    progress('ingest: warming up');
    await ours(system, watch, 'warm-up', Math.ceil(queues / 5));
    let best: Round | undefined;
    let bareMs = Number.POSITIVE_INFINITY;
    for (let round = 1; round <= rounds; round++) {
      const partition = `round-${round}`;
      const measured = await ours(system, watch, partition, queues);
      if (!best || measured.ms < best.ms) best = measured;
      const bare = await bareRound(three, system, await eventsOf(system, partition));
      bareMs = Math.min(bareMs, bare);
      progress(`ingest: round ${round} of ${rounds}: ${seconds(measured.ms)}, bare ${seconds(bare)}`);
    }
    if (best) report(title(queues, rounds), rowsOf(best, bareMs, 2 * queues));
  } finally {
    await watch.stop();
    await system.stop();
  }
}

async function ours(system: System, watch: TopicWatch, partition: string, queues: number): Promise<Round> {
  const load = { pending: queues, due: 0, perSecond: 1, leadMs: 0 };
  const body = configuration(load, false, partition);
  const before = await cpuOf(system.pids);
  const began = performance.now();
  const answerMs = await submit(system, body, partition);
  await watch.until(catalog.QuotaChanged.type, queues, 120_000, partition);
  await watch.until(catalog.EnforcementScheduled.type, queues, 120_000, partition);
  return { ms: performance.now() - began, answerMs, cpu: cpuSince(before, await cpuOf(system.pids)) };
}

async function eventsOf({ databaseUrl }: System, partition: string): Promise<Outgoing[]> {
  const database = await openDatabase(databaseUrl, { poolSize: 1 });
  try {
    const events: Outgoing[] = [];
    for (let cursor = beginning; ; ) {
      const page = await readOutgoing(database, cursor, { limit: 5000 });
      if (page.next === cursor) break;
      cursor = page.next;
      events.push(...page.events.filter((event) => event.partition === partition));
    }
    return events.filter(({ type }) => type !== catalog.ConfigApplied.type);
  } finally {
    await database.destroy();
  }
}

async function bareRound(three: Three, system: System, events: Outgoing[]): Promise<number> {
  const pages = Array.from({ length: Math.ceil(events.length / relayPageSize) }, (_, i) =>
    events.slice(i * relayPageSize, (i + 1) * relayPageSize),
  ).map((page) => ({ rows: page.map(rowOf), messages: page.map((event) => messageOf(event)) }));
  const table = await bareTable(system.databaseUrl);
  const producer = await bareProducer(three.kafka.brokers, 'bare');
  try {
    const began = performance.now();
    for (const { rows, messages } of pages) {
      await table.insert(rows);
      await producer.send(messages);
    }
    return performance.now() - began;
  } finally {
    await table.close();
    await producer.close();
  }
}

const rowOf = (event: Outgoing): BareRow => ({
  id: event.id,
  stream: event.stream,
  version: event.version,
  type: event.type,
  topic: event.topic,
  partition: event.partition,
  key: event.key,
  time: event.time.toISOString(),
  data: event.data ?? 'null',
});

const title = (queues: number, rounds: number) =>
  `${count(queues)} QuotaChanged in one configuration, pages of ${count(relayPageSize)}, best of ${rounds} rounds`;

function rowsOf({ ms, answerMs, cpu }: Round, bareMs: number, events: number): Row[] {
  const reached = bareMs / ms;
  return [
    {
      what: 'PUT to all scheduled and published',
      measured: `${seconds(ms)}, ${perSecond(events, ms)} events`,
      beside: `${seconds(bareMs)}, ${perSecond(events, bareMs)} insert + produce`,
      ratio: reached.toFixed(2),
      target: `>= ${leastRatio} of bare`,
      met: reached >= leastRatio,
    },
    { what: '  the answer to PUT', measured: seconds(answerMs) },
    ...cpuRows('for 1,000 events', cpu, events / 1000),
  ];
}
const perSecond = (events: number, ms: number) => `${count(Math.round((events / ms) * 1000))}/s`;
