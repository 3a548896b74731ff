import { StreamConflict } from '@curtail/event-store';
import { databaseAway } from '@curtail/platform';
import { type DataSource, QueryFailedError } from 'typeorm';
import { EventNotReady } from './consumer.js';

/**
 * Whether it was really the database: a handler may have called another server, and its errors are alike. So what does
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

/** Another process was quicker, or something is still on its way: worth another try soon, a bounded number of times. */
export function worthAnotherTry(error: unknown): boolean {
  return error instanceof StreamConflict || error instanceof EventNotReady;
}
