import { loadSimulated, place } from '#clusters';
import { openDatabase } from '#event-store';

/** How many clocks run, and when those that are measured are due. */
export interface Load {
  /** Clocks that stay far from due. */
  pending: number;
  /** Clocks that become due one after the other, each with a run that takes one victim. */
  due: number;
  /** Infinity: all at one instant. */
  perSecond: number;
  /** From the submission to the first one that is due: time to schedule them all, and to come to rest. */
  leadMs: number;
}

export const usualPartition = 'default';

/** Two allocations in each queue that becomes due; its quota leaves room for one. */
export async function placeWork(
  { databaseUrl }: { databaseUrl: string },
  { due }: Pick<Load, 'due'>,
  partition = usualPartition,
): Promise<void> {
  const database = await openDatabase(databaseUrl, { poolSize: 1 });
  try {
    const indices = Array.from({ length: due }, (_, i) => i);
    await place(database, partition, {
      applications: indices.map((i) => ({ id: `app-${i}`, queue: `root.due.q${i}`, user: 'bench' })),
      allocations: indices.flatMap((i) =>
        ['a', 'b'].map((which) => ({
          id: `alloc-${i}-${which}`,
          application: `app-${i}`,
          queue: `root.due.q${i}`,
          resources: { vcore: 1000, memory: 1_000_000_000 },
          startedAt: '2026-11-21T08:00:00.000Z',
        })),
      ),
    });
    await database.query('ANALYZE simulated_applications, simulated_allocations');
  } finally {
    await database.destroy();
  }
}

/** A configuration in which every queue of `root.pending` has a clock, and with `lowered` every queue of `root.due` too. */
export function configuration(
  { pending, due, perSecond, leadMs }: Load,
  lowered: boolean,
  partition = usualPartition,
): unknown {
  const queues = (count: number, queue: (i: number) => object) =>
    Array.from({ length: count }, (_, i) => ({ name: `q${i}`, ...queue(i) }));
  const resources = { max: { vcore: '1' } };
  return {
    partitions: [
      {
        name: partition,
        preemption: { quotapreemptionenabled: true },
        queues: [
          {
            name: 'root',
            queues: [
              {
                name: 'pending',
                queues: queues(pending, () => ({
                  resources,
                  properties: { 'quota.preemption.delay': '1h' },
                })),
              },
              {
                name: 'due',
                queues: queues(due, (i) =>
                  lowered
                    ? {
                        resources,
                        properties: {
                          'quota.preemption.delay': `${leadMs + Math.round((i * 1000) / perSecond)}ms`,
                        },
                      }
                    : {},
                ),
              },
            ],
          },
        ],
      },
    ],
  };
}

/** @returns how long the answer took, in milliseconds. */
export async function submit(
  { url }: { url: string },
  body: unknown,
  partition = usualPartition,
): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${url}/v1/partitions/${partition}/config?removeQueues=true`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the configuration was refused: ${await response.text()}`);
  await response.arrayBuffer();
  return performance.now() - began;
}

/** The queue of one large run. */
export const largeQueue = 'root.large';

/** Fills the simulated cluster of the usual partition, as for a database that has run for long: its statistics are up to date. */
export async function fillSimulated({ databaseUrl }: { databaseUrl: string }, spec: object): Promise<void> {
  const database = await openDatabase(databaseUrl, { poolSize: 1 });
  try {
    await loadSimulated(database, usualPartition, spec);
    await database.query('ANALYZE simulated_applications, simulated_allocations');
  } finally {
    await database.destroy();
  }
}

/** Fills `largeQueue` with allocations of one core each, spread over queues below it. */
export const fillLargeQueue = (
  system: { databaseUrl: string },
  { allocations, queues }: { allocations: number; queues: number },
): Promise<void> =>
  fillSimulated(system, {
    under: largeQueue,
    queues,
    allocations,
    resources: [{ memory: 4_000_000_000, vcore: 1000 }],
    daemonsPercent: 0,
    nodes: Math.ceil(allocations / 100),
  });

/** A configuration in which `largeQueue` may have so many cores. */
export function largeConfiguration(cores: number, delayMs: number): unknown {
  const large = {
    name: 'large',
    resources: { max: { vcore: String(cores) } },
    properties: { 'quota.preemption.delay': `${delayMs}ms` },
  };
  return {
    partitions: [
      {
        name: usualPartition,
        preemption: { quotapreemptionenabled: true },
        queues: [{ name: 'root', queues: [large] }],
      },
    ],
  };
}
