import { type DataSource, QueryFailedError } from 'typeorm';
import { databaseTime, StreamConflict } from '#event-store';
import { databaseAway } from '#platform';
import { EventNotReady } from './consumer.js';

/**
 * Whether the database was the cause: a handler may have called another server, whose errors look the same. So an error
 * that is not from a statement counts only if the database does not answer now.
 */
export async function isDatabaseAway(db: DataSource, error: unknown): Promise<boolean> {
  if (!databaseAway(error)) return false;
  if (error instanceof QueryFailedError) return true;
  try {
    await databaseTime(db);
    return false;
  } catch {
    return true;
  }
}

/** Another process was faster, or an event is still on its way: worth another attempt soon, a limited number of times. */
export function worthAnotherTry(error: unknown): boolean {
  return error instanceof StreamConflict || error instanceof EventNotReady;
}
