import { setTimeout as delay } from 'node:timers/promises';
import type { Kafka, Message } from 'kafkajs';
import type pg from 'pg';
import { type Cpu, cpuOf, cpuSince } from './cpu.js';
import type { System } from './system.js';

const settleMs = 3000;
const withinMs = 300_000;

/** Core milliseconds of each process in a second in which nothing arrives, once their sum no longer falls. */
export async function idleRate(pids: System['pids']): Promise<Cpu> {
  const sum = (rate: Cpu) => [...rate.values()].reduce((so, used) => so + used, 0);
  let last: Cpu | undefined;
  for (const end = performance.now() + withinMs; ; ) {
    const before = await cpuOf(pids);
    await delay(settleMs);
    const used = cpuSince(before, await cpuOf(pids));
    const rate = new Map([...used].map(([name, ms]) => [name, (ms * 1000) / settleMs]));
    if (last !== undefined && (sum(rate) >= 0.9 * sum(last) || performance.now() > end)) return last;
    last = rate;
  }
}

/** @returns the core time of a consumer that parses these messages of the topic and inserts a row for each, in milliseconds. */
export async function bareConsumer(
  kafka: Kafka,
  database: pg.Client,
  topic: string,
  messages: (Message & { id?: string })[],
): Promise<number> {
  const wanted = new Set(messages.map(({ id }) => id));
  await database.query('CREATE TABLE IF NOT EXISTS bare_submissions (id uuid PRIMARY KEY, submission text)');
  const consumer = kafka.consumer({ groupId: `bare-${messages[0]!.id}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let before: NodeJS.CpuUsage | undefined;
  let left = wanted.size;
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          const id = String(message.headers?.ce_id);
          if (!wanted.has(id)) return;
          before ??= process.cpuUsage();
          const { submission } = JSON.parse(String(message.value)) as { submission: string };
          await database.query('BEGIN');
          await database.query({
            name: 'bare',
            text: 'INSERT INTO bare_submissions VALUES ($1, $2)',
            values: [id, submission],
          });
          await database.query('COMMIT');
          if (--left === 0) resolve();
        },
      })
      .catch(reject);
  });
  const { user, system } = process.cpuUsage(before);
  await consumer.disconnect();
  return (user + system) / 1000;
}
