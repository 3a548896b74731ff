import { Client } from 'pg';
import { type DomainEvent, type Resources } from '#contracts';
import { eventName } from '#contracts/events';
import { DATA, unpackData } from '#event-store';
import { readWrites, type Written } from './watch-writes.js';

/** An event of the log, in the order in which consumers get it. */
export type Logged = DomainEvent & {
  id: string;
  topic: string;
  key: string;
  position: number;
  stream: string;
  version: number;
  /** Its own time. */
  time: Date;
  /** By the clock of the database, where that was watched (watch-writes.ts). */
  written?: Written;
};

/** A kill that the cluster has reported as carried out. */
export interface Kill {
  allocation: string;
  uid: string;
  queue: string;
  resources: Resources;
  evictionId: string;
  at: Date;
}

export interface RemainingAllocation {
  id: string;
  uid: string;
  queue: string;
  resources: Resources;
  /** Default `task`. */
  role?: string;
  /** How often the cluster has refused to evict it; default 0. */
  refusals?: number;
}

/** An allocation that ended without having been evicted. */
export interface Departure {
  queue: string;
  resources: Resources;
  /** When Curtail could know of it; absent: never. */
  knownAt?: Date;
}

/** Facts of a cluster, by its own record. */
export interface Truth {
  kills: Kill[];
  /** Without what is leaving. */
  remaining: RemainingAllocation[];
  departures: Departure[];
}

export interface QueueLimits {
  path: string;
  max: Resources | null;
  guaranteed: Resources | null;
  /** From a lowered quota to its enforcement; 0 = it is not enforced. */
  delayMs: number;
}

/** Rows that must be gone when everything has ended, and their number. */
export interface LeftOver {
  what: string;
  count: number;
}

/** A history, by Curtail's own record and by that of the cluster. */
export interface History extends Truth {
  log: Logged[];
  /** Before the first kill. */
  initialAllocations: RemainingAllocation[];
  limits: QueueLimits[];
  leftOvers: LeftOver[];
  /** Runs that have not started: each follows one that fell short, after a pause. */
  triesAgainLater: string[];
  /** The state of each run as shown: folded from the log by a consumer that was killed as well. */
  shown: { enforcement: string; state: string; outcome: string | null; evicted: number }[];
  /** Of the executor. */
  victimsPerSecond: number;
}

/** Reads all of it from the database of a Curtail whose work has ended. @param truth absent: that of the simulated cluster. */
export async function readHistory(
  databaseUrl: string,
  known: Pick<History, 'initialAllocations' | 'victimsPerSecond'>,
  truth?: Truth,
): Promise<History> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const rows = async <T>(text: string): Promise<T[]> => (await client.query(text)).rows as T[];
  try {
    const stored = await rows<{ type: string; data: unknown } & Omit<Logged, 'name' | 'data'>>(
      `SELECT id, topic, key, position::int, stream, version, type, time, ${DATA} AS data FROM events ORDER BY transaction_id, events.position`,
    );
    await unpackData(stored);
    const writes = await readWrites(client);
    return {
      ...known,
      log: stored.map(({ type, ...event }) => {
        const written = writes.get(event.id);
        return { ...event, name: eventName(type), ...(written && { written }) } as Logged;
      }),
      ...(truth ?? (await truthOfSimulated(client))),
      limits: await rows('SELECT path, max, guaranteed, delay_ms::float8 AS "delayMs" FROM queues'),
      leftOvers: await rows(leftOvers),
      triesAgainLater: (await rows<{ enforcement: string }>(triesAgainLater)).map((row) => row.enforcement),
      shown: await rows('SELECT enforcement, state, outcome, evicted FROM read_runs'),
    };
  } finally {
    await client.end();
  }
}

async function truthOfSimulated(client: Client): Promise<Truth> {
  const kills = await client.query<Kill>(
    `SELECT allocation, uid, queue, resources, eviction_id AS "evictionId", at FROM simulated_evictions ORDER BY id`,
  );
  return { kills: kills.rows, remaining: await readRemaining(client), departures: [] };
}

/** Allocations that run and are not leaving. */
export async function readRemaining(client: Client): Promise<RemainingAllocation[]> {
  const found = await client.query<RemainingAllocation>(
    `SELECT id, uid, queue, resources, role, refusals FROM simulated_allocations WHERE state = 'running' ORDER BY id`,
  );
  return found.rows;
}

/**
 * Clocks of queues whose last run fell short, for instance since an application refuses every eviction. Each pause is twice the one before
 * it, so such a clock is set for ever. One that is due soon counts as under way.
 */
const triesAgainLater = `
  SELECT clocks.partition, clocks.queue, state::json #>> '{pending,enforcement}' AS enforcement FROM clocks
  WHERE state::jsonb #> '{pending,unblocked}' IS NOT NULL
    AND (state::jsonb #>> '{pending,dueAt}')::timestamptz > now() + interval '20 seconds'`;
const isNotLater = (queue: string) =>
  `(partition, ${queue}) NOT IN (SELECT partition, queue FROM (${triesAgainLater}) AS later)`;

/** What is under way or pending, and what a consumer has not handled of all that it wants: rows of `what` and `count`. */
const underWay = `
  SELECT 'timers' AS what, count(*) FROM timers WHERE ${isNotLater('name')}
  UNION ALL SELECT 'runs', count(*) FROM runs
  UNION ALL SELECT 'locks of queues', count(*) FROM clocks WHERE running_enforcement IS NOT NULL
  UNION ALL SELECT wanted.consumer || ' ' || e.type, count(*)
    FROM (VALUES
      ('timer', '{config.applied,quota.changed,queue.removed,enforcement.ended,cancel.requested}'::text[]),
      ('planner', '{enforcement.started}'),
      ('executor', '{plan.computed,plan.failed}')
    ) AS wanted (consumer, types)
    JOIN events e ON e.type = ANY (SELECT 'io.curtail.' || name || '.v1' FROM unnest(wanted.types) AS name)
    WHERE NOT EXISTS (SELECT FROM inbox i WHERE i.consumer = wanted.consumer AND i.event_id = e.id)
    GROUP BY wanted.consumer, e.type
  UNION ALL SELECT 'console', count(*)
    FROM events e JOIN subscriptions s ON s.name = 'console'
    WHERE (e.transaction_id, e.position) > (s.transaction_id, s.position)`;

/** Whether nothing is under way or pending any more, and every consumer has handled all that it wants; else what remains. */
export const isOver = `
  SELECT count(*) = 0 AS over, string_agg(count || ' ' || what, ', ') AS remaining
  FROM (${underWay}) AS counted WHERE count > 0`;

const leftOvers = `
  SELECT * FROM (
    SELECT 'planned victims' AS what, (SELECT count(*)::int FROM planned_victims) AS count
    UNION ALL SELECT 'runs', (SELECT count(*)::int FROM runs)
    UNION ALL SELECT 'timers', (SELECT count(*)::int FROM timers WHERE ${isNotLater('name')})
    UNION ALL SELECT 'locks of queues', (SELECT count(*)::int FROM clocks WHERE running_enforcement IS NOT NULL)
    UNION ALL SELECT 'clocks', (SELECT count(*)::int FROM clocks WHERE state::jsonb ? 'pending' AND ${isNotLater('queue')})
    UNION ALL SELECT 'dead letters', (SELECT count(*)::int FROM dead_letters)
  ) counted WHERE count > 0`;
