import { setTimeout as delay } from 'node:timers/promises';
import { ensureTopics, openKafka } from '#messaging/kafka';
import { quantile } from './measure.js';

/** All by the clock and the CPU time of this process. */
export interface ClientFigures {
  produced: number;
  produceCpu: number;
  consumed: number;
  consumeCpu: number;
  hop: number;
  hopLate: number;
  joined: number;
  idleCpu: number;
  memory: number;
}

const [client, brokers, topic] = process.argv.slice(2) as [string, string, string];
const messages = 100_000;
const batch = 500;
const alone = 500;
const idleMs = 5000;
const name = `${topic}-${client}`;
const kafka = openKafka({
  client: client as 'kafkajs',
  brokers: brokers.split(','),
  clientId: name,
});

const plan = {
  partitions: 6,
  retentionMs: 86_400_000,
  maxMessageBytes: 1_000_000,
  compression: 'producer',
} as const;
await ensureTopics(kafka, [
  { ...plan, topic: name },
  { ...plan, topic: `${name}-alone` },
]);

const producer = kafka.producer();
await producer.connect();
const value = Buffer.alloc(1000, 'x');
/** As the headers of events: thirteen. */
const headers = Object.fromEntries(
  Array.from({ length: 13 }, (_, nr) => [`ce_header${nr}`, 'a value of some length']),
);
const send = (to: string, count: number, text = value) =>
  producer.sendBatch({
    acks: -1,
    topicMessages: [
      {
        topic: to,
        messages: Array.from({ length: count }, (_, nr) => ({
          key: `root.queue-${nr % 50}`,
          value: text,
          headers,
        })),
      },
    ],
  });

/** Milliseconds, and microseconds of CPU. */
async function measured(work: () => Promise<unknown>): Promise<{ ms: number; cpu: number }> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - began, cpu: user + system };
}

async function reader(of: string, group: string, each: (count: number, last: Buffer | null) => void) {
  const consumer = kafka.consumer(group);
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.connect();
  await consumer.subscribe({ topics: [of], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 3,
    eachBatch: async ({ batch: { topic: from, partition, messages: got }, ...payload }) => {
      each(got.length, got.at(-1)!.value);
      const last = got.at(-1)!.offset;
      payload.resolveOffset(last);
      const offset = String(BigInt(last) + 1n);
      await payload.commitOffsetsIfNecessary({
        topics: [{ topic: from, partitions: [{ partition, offset }] }],
      });
    },
  });
  await joined;
  return consumer;
}

await send(name, batch);
const producing = await measured(async () => {
  for (let sent = 0; sent < messages; sent += batch) await send(name, batch);
});

let read = 0;
let whole = () => {};
const all = new Promise<void>((resolve) => {
  whole = resolve;
});
const consuming = await measured(async () => {
  await reader(name, `${name}-group`, (count) => {
    read += count;
    if (read >= messages + batch) whole();
  });
  await all;
});

let arrived = (_text: string) => {};
await reader(`${name}-alone`, `${name}-alone`, (_count, last) => arrived(String(last)));
const hops: number[] = [];
async function hop(text: string): Promise<void> {
  const there = new Promise<void>((resolve) => {
    arrived = (got) => {
      if (got === text) resolve();
    };
  });
  await send(`${name}-alone`, 1, Buffer.from(text));
  await there;
}
for (let nr = -20; nr < alone; nr++) {
  const began = performance.now();
  await hop(`message ${nr}`);
  if (nr >= 0) hops.push(performance.now() - began);
}

const joining = await measured(async () => {
  const second = await reader(name, `${name}-group`, () => {});
  await second.disconnect();
});

const idle = await measured(() => delay(idleMs));
const memory = process.memoryUsage.rss() / 2 ** 20;

const figures: ClientFigures = {
  produced: (messages / producing.ms) * 1000,
  produceCpu: producing.cpu / messages,
  consumed: (messages / consuming.ms) * 1000,
  consumeCpu: consuming.cpu / messages,
  hop: quantile(hops, 0.5),
  hopLate: quantile(hops, 0.99),
  joined: joining.ms,
  idleCpu: idle.cpu / 10 / idleMs,
  memory,
};
process.send!(figures, () => process.exit(0));
