import { setTimeout as delay } from 'node:timers/promises';
import { type Topic } from '#contracts';
import { topics } from '#contracts/events';
import { type Cursor, openDatabase, readPage, type StoredEvent, WakeListener } from '#event-store';

/** A subscriber like any other: reads the log behind each wake, and notes when it saw what. */
export interface Watch {
  /** Resolves when so many events of a type have been seen since the watch began. */
  until(type: string, count: number, deadlineMs: number): Promise<void>;
  seen(type: string): { event: StoredEvent; at: number }[];
  stop(): Promise<void>;
}

export async function watchLog(databaseUrl: string, wanted: Topic[] = Object.values(topics)): Promise<Watch> {
  const database = await openDatabase(databaseUrl, { poolSize: 1, applicationName: 'curtail-bench' });
  const wake = new WakeListener(databaseUrl);
  const byType = new Map<string, { event: StoredEvent; at: number }[]>();
  const [last] = await database.query<Cursor[]>(
    `SELECT transaction_id::text AS "transactionId", position::text FROM events
     ORDER BY transaction_id DESC, position DESC LIMIT 1`,
  );
  let cursor: Cursor = last ?? { transactionId: '0', position: '0' };
  let onEvents = () => {};
  let reading: Promise<void> | undefined;
  let again = false;

  const read = async (): Promise<void> => {
    do {
      again = false;
      for (;;) {
        const page = await readPage(database, cursor, { topics: wanted, limit: 1000 });
        const at = Date.now();
        for (const event of page.events) {
          const list = byType.get(event.type) ?? [];
          list.push({ event, at });
          byType.set(event.type, list);
        }
        if (page.next === cursor) {
          // An older transaction still runs; hardly ever longer than this.
          if (page.heldBack) await delay(2);
          again ||= page.heldBack;
          break;
        }
        cursor = page.next;
        onEvents();
      }
    } while (again);
  };
  const check = (): void => {
    again = true;
    reading ??= read().finally(() => {
      reading = undefined;
    });
  };
  wake.onWake((announced) => {
    if (announced.length === 0 || announced.some((topic) => (wanted as string[]).includes(topic))) check();
  });
  await wake.start();
  const poll = setInterval(check, 1000);

  return {
    seen: (type) => byType.get(type) ?? [],
    until: (type, count, deadlineMs) =>
      new Promise((resolve, reject) => {
        const tooLate = setTimeout(() => {
          reject(new Error(`${byType.get(type)?.length ?? 0} of ${count} ${type} after ${deadlineMs} ms`));
        }, deadlineMs);
        onEvents = () => {
          if ((byType.get(type)?.length ?? 0) < count) return;
          clearTimeout(tooLate);
          resolve();
        };
        onEvents();
      }),
    stop: async () => {
      clearInterval(poll);
      await wake.stop();
      await reading;
      await database.destroy();
    },
  };
}
