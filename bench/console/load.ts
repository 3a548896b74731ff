import { setTimeout as delay } from 'node:timers/promises';
import { appendNext, controlStream, openDatabase } from '#event-store';

/** What pages are measured with. */
export const size = { queues: 1000, allocations: 100_000, events: 10_000, manyQueues: 10_000 };

export const partition = 'default';
/** One with many queues and no work. */
export const manyPartition = 'many';

export async function send(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** Work in many queues, a log of as many events as `size` says, and a partition with ten times the queues. */
export async function fill(url: string): Promise<void> {
  await send(url, 'POST', `/v1/partitions/${partition}/simulated/load`, {
    queues: size.queues,
    allocations: size.allocations,
  });
  // Each change of all quotas records one event for each queue. No clock starts: the delay is 0.
  for (let change = 0; change < size.events / size.queues; change++)
    await send(url, 'PUT', `/v1/partitions/${partition}/config`, configuration(1_000_000 + change));
  const teams = Array.from({ length: 100 }, (_, i) => ({
    name: `team${i}`,
    queues: Array.from({ length: size.manyQueues / 100 }, (_, j) => ({
      name: `q${j}`,
      resources: { max: { vcore: '10' } },
    })),
  }));
  await send(url, 'PUT', `/v1/partitions/${manyPartition}/config`, {
    partitions: [{ name: manyPartition, queues: [{ name: 'root', queues: teams }] }],
  });
}

function configuration(vcore: number): unknown {
  const queues = Array.from({ length: size.queues }, (_, i) => ({
    name: `q${i}`,
    resources: { max: { vcore: String(vcore), memory: '100T' } },
  }));
  return {
    partitions: [{ name: partition, queues: [{ name: 'root', queues: [{ name: 'load', queues }] }] }],
  };
}

/** Records so many events a second until it is ended: ends of stops that there were not, which change nothing. */
export async function recordEvents(databaseUrl: string, perSecond: number): Promise<() => Promise<void>> {
  const database = await openDatabase(databaseUrl, { poolSize: 1 });
  let isOver = false;
  const done = (async () => {
    const began = performance.now();
    for (let i = 0; !isOver; i++) {
      await delay(Math.max(0, began + (1000 * i) / perSecond - performance.now()));
      const queue = `root.load.q${i % size.queues}`;
      const event = { name: 'KillSwitchCleared', data: { partition, queue, by: 'bench' } } as const;
      await database.transaction((tx) =>
        appendNext(tx, { stream: controlStream(partition), partition, events: [{ event, key: queue }] }),
      );
    }
  })();
  return async () => {
    isOver = true;
    await done;
    await database.destroy();
  };
}
