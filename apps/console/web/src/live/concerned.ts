import { hasUsage } from './leaving.js';
import type { LiveEvent } from './live-connection.js';

/** What there is to read again for. `everything`: the page may have missed something. `usage`: work may have come or gone, without an event. */
export type News = LiveEvent | 'everything' | 'usage';

const isWithin = (queue: string, of: string) => queue === of || queue.startsWith(`${of}.`);

/** Queries whose answers few events change, by the beginning of their keys; events that they are read again for. */
const few: Record<string, (event: LiveEvent, key: readonly unknown[]) => boolean> = {
  // What the token permits does not change.
  access: () => false,
  // The names of partitions; those of others are not among the news, so the list is read again when it is opened.
  partitions: () => false,
  stops: ({ name }) => name.startsWith('KillSwitch'),
  freezes: ({ name }) => name.startsWith('Freeze'),
  // Events of a partition have its name in the place of a queue, and belong to the history of each.
  history: ({ queue }, [, , own]) =>
    !isWithin(queue, 'root') || isWithin(queue, String(own)) || isWithin(String(own), queue),
};

/** Whether news may change the answer to a query: any news that of any query that `few` does not know. */
export function isConcerned(key: readonly unknown[], news: readonly News[]): boolean {
  const concerns = few[String(key[0])];
  return news.some((each) => {
    if (each === 'everything') return true;
    if (each === 'usage') return hasUsage(key);
    return concerns === undefined || concerns(each, key);
  });
}
