import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import kafkajs, { type Message } from 'kafkajs';
import pg from 'pg';
import { catalog, inboundTopics } from '#contracts/events';
import { numbers } from '../../bench/inputs.js';
import { quantile } from '../../bench/measure.js';
import { count, type Row, report } from '../../bench/report.js';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import type { Three } from '../../scripts/infra/index.js';
import { cpuOf, cpuSince } from './cpu.js';
import { bareConsumer, idleRate } from './intake-floor.js';
import { progress } from './progress.js';
import type { Scale } from './scale.js';
import type { SendOrder } from './send-program.js';
import { startSystem } from './system.js';

const settleMs = 3000;
const withinMs = 300_000;
const perSecond = 100;
const partition = 'default';
const sender = '/bench/intake';

/** Starts of allocations: at a steady rate and as a backlog, each beside a bare consumer of the same messages at the same rate. */
export async function benchAllocations(three: Three, { rounds }: Scale): Promise<void> {
  const messages = rounds > 1 ? 2000 : 200;
  const system = await startSystem(three, { environment: { CURTAIL_CLUSTER: 'inventory' } });
  const kafka = new kafkajs.Kafka({
    brokers: system.brokers,
    clientId: 'bench',
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const database = new pg.Client({ connectionString: system.databaseUrl });
  try {
    await database.connect();
    const topic = system.connection.topicName(inboundTopics.inventory);
    const draw = allocations();
    const arrived = async (wanted: number) => {
      for (const end = performance.now() + withinMs; performance.now() < end; await delay(200)) {
        const { rows } = await database.query<{ found: number }>(
          'SELECT count(*)::int AS found FROM inventory_allocations',
        );
        if (rows[0]!.found >= wanted) return;
      }
      throw new Error(`not all of ${wanted} allocations are in the inventory`);
    };
    await sendInProcess({ brokers: system.brokers, topic, messages: draw(200), everyMs: 0 });
    let sent = 200;
    await arrived(sent);
    const idle = await idleRate(system.pids);
    const ratios: { steady: number; backlog: number; steadyMs: number; backlogMs: number }[] = [];
    for (let round = 1; round <= rounds; round++) {
      const measured = async (everyMs: number) => {
        const all = draw(messages);
        const before = await cpuOf(system.pids);
        const began = performance.now();
        const floor = bareConsumer(kafka, database, topic, all);
        await sendInProcess({ brokers: system.brokers, topic, messages: all, everyMs });
        sent += messages;
        await arrived(sent);
        await delay(settleMs);
        const ms = performance.now() - began;
        const used = cpuSince(before, await cpuOf(system.pids)).get('config-ingest') ?? 0;
        const rate = idle.get('config-ingest') ?? 0;
        return { own: (used - (rate * ms) / 1000) / messages, floor: (await floor) / messages };
      };
      const steady = await measured(1000 / perSecond);
      const backlog = await measured(0);
      ratios.push({
        steady: steady.own / steady.floor,
        backlog: backlog.own / backlog.floor,
        steadyMs: steady.own,
        backlogMs: backlog.own,
      });
      progress(`intake: allocations, round ${round} of ${rounds}`);
    }
    const row = (what: string, target: number, key: 'steady' | 'backlog'): Row => {
      const ratio = quantile(
        ratios.map((each) => each[key]),
        0.5,
      );
      const ms = quantile(
        ratios.map((each) => each[`${key}Ms`]),
        0.5,
      );
      return {
        what,
        measured: `${ms.toFixed(2)} ms`,
        ratio: ratio.toFixed(2),
        target: `<= ${target}`,
        met: ratio <= target,
      };
    };
    report(`${count(messages)} allocations that start, config-ingest : bare consumer of the same messages`, [
      row(`one, ${perSecond} a second`, 0.7, 'steady'),
      row('one of a backlog', 0.15, 'backlog'),
    ]);
  } finally {
    await database.end();
    await system.stop();
  }
}

/** Sends messages from a process of its own, whose core time is nobody's here; one by one if `everyMs` is not 0. */
async function sendInProcess(order: SendOrder): Promise<void> {
  const child = fork(new URL('send-program.ts', import.meta.url), {
    execArgv: ['--import', fileURLToPath(new URL('../support/typescript.mjs', import.meta.url))],
  });
  const ended = once(child, 'exit');
  child.send(order);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`the sender ended with ${code}`);
}

/** Allocations of a partition, one a message, as a scheduler reports them. */
function allocations(): (messages: number) => (Message & { id: string })[] {
  const next = numbers(11);
  let sequence = 0;
  return (messages) =>
    Array.from({ length: messages }, () => {
      sequence++;
      return cloudEvent(sender, catalog.AllocationStarted.type, partition, {
        partition,
        sequence,
        id: `allocation-${sequence}`,
        uid: `uid-${sequence}`,
        application: `application-${next(200)}`,
        queue: `root.team-${next(20)}`,
        user: `user-${next(50)}`,
        priority: next(3),
        resources: { memory: 2 ** (28 + next(6)), vcore: 1000 * (1 + next(8)) },
        startedAt: new Date().toISOString(),
      });
    });
}
