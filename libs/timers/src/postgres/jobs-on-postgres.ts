import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresBackend, Queue, runMigrations, Worker } from 'bullmq';
import pg from 'pg';
import { AnswerWatch, watchedBy, withSession } from '#event-store';
import type { JobServer } from '../wake-up-queue.js';
import { breathing } from './bullmq-patches/breathing.js';

const pauseMs = 1000;

/** The schema that BullMQ assumes when it gets a pool. */
const schema = 'bullmq';

/** Connects to the database, and creates the tables of the jobs if they do not exist. */
export async function connectPostgres(
  databaseUrl: string,
  onError: (error: Error) => void = () => {},
): Promise<JobServer> {
  const answerWatch = new AnswerWatch(databaseUrl);
  const pool = openPool(databaseUrl, onError, answerWatch);
  try {
    const client = await pool.connect();
    try {
      // Takes a lock of its own: any number of processes may start at once.
      await runMigrations(client, schema);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end().finally(() => answerWatch.close());
    throw error;
  }
  const connection = { connection: pool } as never;
  const closing = new AbortController();
  /** Only a crash of the server loses jobs, and only the latest, so one request at the start is enough. */
  async function askOnce(again: () => Promise<void>): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        return await again();
      } catch (error) {
        onError(error as Error);
        await delay(pauseMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }
  return {
    isAwaited: true,
    queue: (name) => new Queue(name, connection, createPostgresBackend as never),
    worker: (name, process, settings) =>
      breathing(
        new Worker(name, process, { connection: pool, ...settings } as never, createPostgresBackend as never),
      ),
    // The pool connects on demand.
    assertConnected: () => {},
    whenForgotten: (again) => void askOnce(again),
    close: () => {
      closing.abort();
      return pool.end().finally(() => answerWatch.close());
    },
  };
}

/**
 * One pool for the queue and the worker, which keeps one of its connections to listen. Its commits do not wait for the disk:
 * a crash of the database server may lose or duplicate the latest wake-ups, and the timer table covers both.
 */
function openPool(databaseUrl: string, onError: (error: Error) => void, answerWatch: AnswerWatch): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSession(databaseUrl, {
      search_path: `${schema},public`,
      synchronous_commit: 'off',
      plan_cache_mode: 'force_generic_plan',
    }),
    max: 6,
    keepAlive: true,
    ...watchedBy(answerWatch),
    application_name: 'curtail-wake-ups',
  });
  pool.on('error', onError);
  return pool;
}
