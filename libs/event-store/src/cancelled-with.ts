import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { askDatabase } from './probe-database.js';

const signals = new AsyncLocalStorage<AbortSignal>();

/** A connection of the driver, as far as it is used here. */
interface Connection {
  processID?: number;
}

/**
 * Does work whose statements on cancellable pools (`openDatabase`) end with the signal: an abandoned request takes nothing from
 * others. A statement that runs then is cancelled in the server, and fails with the SQLSTATE 57014; none begins after that.
 */
export const cancelledWith = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  signals.run(signal, work);

/** Lets `cancelledWith` cancel the statements of a pool. @param url its database. */
export function makeCancellable(database: DataSource, url: string): void {
  const query = database.query.bind(database) as (...words: unknown[]) => Promise<unknown>;
  database.query = (async (text: string, values?: unknown[], ...rest: unknown[]) => {
    const signal = signals.getStore();
    if (signal === undefined) return query(text, values, ...rest);
    signal.throwIfAborted();
    const runner = database.createQueryRunner();
    try {
      const { processID } = (await runner.connect()) as Connection;
      signal.throwIfAborted();
      let cancelled: Promise<void> | undefined;
      const cancel = () => {
        if (processID !== undefined) cancelled = cancelIn(url, processID);
      };
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return await runner.query(text, values);
      } finally {
        signal.removeEventListener('abort', cancel);
        // Before that, it could cancel the next statement of this connection.
        await cancelled;
      }
    } finally {
      await runner.release();
    }
  }) as typeof database.query;
}

/** Over a connection of its own: that of the statement takes nothing meanwhile. */
async function cancelIn(url: string, processID: number): Promise<void> {
  // Without it the statement ends by its time limit.
  await askDatabase(url, `SELECT pg_cancel_backend(${processID})`).catch(() => {});
}
