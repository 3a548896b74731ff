import { StreamConflict } from '@curtail/event-store';
import { type DataSource, QueryFailedError } from 'typeorm';
import { TryAgain } from './consumer.js';

/** SQLSTATEs of PostgreSQL, whole or by class: connection, resources, shutdown, system, serialization, deadlock. */
const passingState = /^(08|53|57P0|58|40001|40P01)/;

/** The way to a server is blocked. */
const blockedWays = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** What pg and TypeORM say without a code, when a connection is lost or cannot be had. */
const lostConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout (expired|exceeded)|Query runner already released)/;

/** The database is away or busy: the same work will do later, and no event is to blame. */
export function databaseAway(error: unknown): boolean {
  const { code, driverError, message } = error as {
    code?: unknown;
    driverError?: { code?: unknown };
    message?: unknown;
  };
  const reason = String(driverError?.code ?? code ?? '');
  return passingState.test(reason) || blockedWays.has(reason) || lostConnection.test(String(message ?? ''));
}

/**
 * Whether it was really the database: a handler may have called another server, and its errors look the same. So what does
 * not come from a statement counts only if the database does not answer now.
 */
export async function isDatabaseAway(db: DataSource, error: unknown): Promise<boolean> {
  if (!databaseAway(error)) return false;
  if (error instanceof QueryFailedError) return true;
  try {
    await db.query('SELECT 1');
    return false;
  } catch {
    return true;
  }
}

/** Somebody was quicker, or something is still on its way: worth another try soon, a bounded number of times. */
export function worthAnotherTry(error: unknown): boolean {
  return error instanceof StreamConflict || error instanceof TryAgain;
}
