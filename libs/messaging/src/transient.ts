import { StreamConflict } from '@curtail/event-store';
import { TryAgain } from './consumer.js';

const passing = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '53300', // too many connections
  '57P01', // the server is going down
  '57P02',
  '57P03', // … or not up yet
  '08000',
  '08003',
  '08006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);

/** The database is away or busy: the same work will do later, and no event is to blame. */
export function databaseAway(error: unknown): boolean {
  const { code, driverError, message } = error as {
    code?: string;
    driverError?: { code?: string };
    message?: string;
  };
  return (
    passing.has(driverError?.code ?? code ?? '') ||
    /Connection terminated|connection timeout|not connected|Client has encountered a connection error/i.test(
      message ?? '',
    )
  );
}

/** Somebody was quicker, or something is still on its way: worth another try soon, a bounded number of times. */
export function worthAnotherTry(error: unknown): boolean {
  return error instanceof StreamConflict || error instanceof TryAgain;
}
