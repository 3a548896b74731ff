import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { type ClockState, evolveClock } from '#enforcement';
import { append, openDatabase } from '#event-store';
import { configuration } from '../../bench/service/load.js';
import type { System } from './system.js';

export interface Feed {
  stop(): Promise<void>;
}

const hourMs = 3_600_000;
const stepMs = 50;

/** A configuration whose clocks are far from due. */
export const loweredLater = (due: number): unknown =>
  configuration({ pending: 0, due, perSecond: 1000, leadMs: hourMs }, true);

interface Clock {
  queue: string;
  version: number;
  state: ClockState;
}

/** Starts runs in the place of the timer, at an even rate and with what it would write, until all have started. */
export function feedStarts({ databaseUrl }: System, due: number, perSecond: number): Feed {
  let stopping = false;
  const feeding = (async () => {
    const database = await openDatabase(databaseUrl, { poolSize: 1, applicationName: 'curtail-bench' });
    try {
      const clocks = await database.query<Clock[]>(
        `SELECT queue, version, state FROM clocks ORDER BY length(queue), queue LIMIT $1`,
        [due],
      );
      const began = performance.now();
      for (let fed = 0; fed < clocks.length && !stopping; ) {
        const wanted = Math.floor(((performance.now() - began) * perSecond) / 1000);
        if (wanted > fed) await start(database, clocks.slice(fed, wanted));
        fed = Math.max(fed, wanted);
        await delay(stepMs);
      }
    } finally {
      await database.destroy();
    }
  })();
  // The caller of stop gets its failure.
  feeding.catch(() => {});
  return {
    stop: async () => {
      stopping = true;
      await feeding;
    },
  };
}

async function start(database: DataSource, clocks: Clock[]): Promise<void> {
  const at = new Date();
  await database.transaction(async (tx) => {
    const tokens = await tx.query<{ token: string }[]>(
      `SELECT nextval('fencing_tokens')::text AS token FROM generate_series(1, $1::int)`,
      [clocks.length],
    );
    const started = clocks.map((clock, i) => {
      const event = startOf(clock, at, Number(tokens[i]?.token));
      return { ...clock, event, next: evolveClock(clock.state, event) };
    });
    await append(
      tx,
      started.map(({ queue, version, event }) => ({
        stream: `schedule-default/${queue}`,
        partition: 'default',
        expectedVersion: version,
        events: [{ event, at, key: queue }],
      })),
    );
    await tx.query(
      `UPDATE clocks s SET version = s.version + 1, state = n.state, running_enforcement = n.running, fencing_token = n.token,
                              lease_until = now() + interval '1 minute'
       FROM unnest($1::text[], $2::json[], $3::text[], $4::bigint[]) AS n (queue, state, running, token)
       WHERE s.partition = 'default' AND s.queue = n.queue`,
      [
        started.map(({ queue }) => queue),
        started.map(({ next }) => JSON.stringify(next)),
        started.map(({ next }) => next.running?.enforcement ?? null),
        started.map(({ next }) => next.running?.fencingToken ?? null),
      ],
    );
    await tx.query(`DELETE FROM timers WHERE partition = 'default' AND name = ANY ($1)`, [
      started.map(({ queue }) => queue),
    ]);
  });
}

function startOf({ queue, state }: Clock, at: Date, fencingToken: number): DomainEvent<'EnforcementStarted'> {
  const { pending, values } = state;
  if (!pending) throw new Error(`${queue} has no clock`);
  return {
    name: 'EnforcementStarted',
    data: {
      partition: 'default',
      queue,
      enforcement: pending.enforcement,
      generation: pending.generation,
      fencingToken,
      dueAt: at.toISOString(),
      startedAt: at.toISOString(),
      lateMs: 0,
      values,
      notices: [],
    },
  };
}
