import type { DataSource } from 'typeorm';
import { place } from '#clusters';
import type { RunningSystem, TestPartition } from './test-partition.js';

export const gb = 1_000_000_000;

/** Rounds that a test need not wait for. */
const quick = {
  preemptionOrderPolicy: 'priority-first',
  maxAllowableLimit: 1,
  totalPreemptionPerRound: 1,
  monitoringInterval: 100,
  maxWaitBeforeKill: 400,
};

export interface Inversion {
  settings?: object;
  /** Tasks that the more important application waits for. */
  waits?: number;
  /** Orders of the less important application to the simulated cluster. */
  properties?: Record<string, unknown>;
}

/**
 * One queue, full: `old` has its master and nine tasks, `old-1` the oldest; `urgent` is more important and waits. The rounds
 * begin with the configuration.
 */
export async function inversion(
  partition: TestPartition,
  { settings = {}, waits = 2, properties = {} }: Inversion = {},
): Promise<void> {
  const { system, name } = partition;
  const submittedAt = '2026-01-01T00:00:00.000Z';
  const of = { queue: 'root.q', user: 'ada', submittedAt };
  await place(system.db, name, {
    nodes: [{ id: 'n1', capacity: { memory: 10 * gb } }],
    applications: [
      { ...of, id: 'old', priority: 1, properties },
      {
        ...of,
        id: 'urgent',
        priority: 2,
        pending: [{ resources: { memory: gb }, count: waits }],
        properties: { startsWhenRoom: true },
      },
    ],
    allocations: Array.from({ length: 10 }, (_, i) => ({
      id: i === 0 ? 'old-master' : `old-${i}`,
      application: 'old',
      queue: 'root.q',
      node: 'n1',
      resources: { memory: gb },
      startedAt: `2026-01-01T00:${10 + i}:00.000Z`,
      ...(i === 0 ? { role: 'originator' as const } : {}),
    })),
  });
  await watch(partition, settings);
}

/** Puts a configuration in force that has rounds begin; `undefined`: that has none. */
export async function watch(partition: TestPartition, settings: object | undefined): Promise<void> {
  const resources = { guaranteed: { memory: 10 * gb }, max: { memory: 10 * gb } };
  const { status, body } = await partition.submit({
    partitions: [
      {
        name: partition.name,
        ...(settings === undefined
          ? {}
          : { preemption: { policies: { 'intra-queue': { ...quick, ...settings } } } }),
        queues: [{ name: 'root', queues: [{ name: 'q', resources }] }],
      },
    ],
  });
  if (status !== 200) throw new Error(`the configuration was refused: ${JSON.stringify(body)}`);
}

/** Once owners are notified, the more important application does not wait any more: no later round sees it wait. */
export async function stopWaitingWhenNotified(db: DataSource, partition: string): Promise<void> {
  await db.query(
    `CREATE FUNCTION stop_waiting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       UPDATE simulated_applications SET pending = '[]' WHERE partition = NEW.partition AND id = 'urgent'; RETURN NEW;
     END $$`,
  );
  await db.query(
    `CREATE TRIGGER stop_waiting BEFORE INSERT ON events FOR EACH ROW
     WHEN (NEW.type = 'io.curtail.victim.notified.v1' AND NEW.partition = '${partition}') EXECUTE FUNCTION stop_waiting()`,
  );
}

export interface RoundRow {
  round: number;
  state: string;
  skipped: number;
  notified: number;
  plan: { outcome: string; victims: number; notices: { code: string }[] } | null;
}

export async function lastRound(system: RunningSystem, partition: string): Promise<RoundRow | undefined> {
  const { body } = await system.request<{ items: RoundRow[] }>('GET', `/v1/rounds?partition=${partition}`);
  return body.items[0];
}

/** Waits until so many more rounds have begun. */
export async function moreRounds(system: RunningSystem, partition: string, more: number): Promise<RoundRow> {
  const from = (await lastRound(system, partition))?.round ?? 0;
  return system.until(`${more} more rounds of ${partition}`, async () => {
    const last = await lastRound(system, partition);
    return last && last.round >= from + more && last;
  });
}
