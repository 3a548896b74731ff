import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, beginning, type Cursor, type WakeListener } from '#event-store';
import { marker, markers } from '../../../test/support/events.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { SharedPages } from './shared-pages.js';

describe('the pages that consumers share', () => {
  let db: DataSource;
  let pages: SharedPages;
  let wake: () => void;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(async () => {
    await db.query('TRUNCATE events');
    jest.restoreAllMocks();
    const listener = { onWake: (onWake: () => void) => (wake = onWake) };
    pages = new SharedPages(db, listener as unknown as WakeListener);
    pages.include(['curtail.control']);
  });

  const put = (from: number, count: number) =>
    db.transaction((tx) =>
      append(tx, [
        markers('a', from, ...Array.from({ length: count }, (_, i) => marker(`a${from + i + 1}`))),
      ]),
    );
  const read = async (from: Cursor, trustedMs = Number.POSITIVE_INFINITY) => {
    const { events, next } = await pages.read(from, trustedMs);
    return { versions: events.map(({ version }) => version), next };
  };

  it('are read once, however many consumers use them', async () => {
    await put(0, 3);
    const queries = jest.spyOn(db, 'query');
    const [one, two] = await Promise.all([read(beginning), read(beginning)]);
    expect([one.versions, two.versions, (await read(beginning)).versions]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect((await read(one.next)).versions).toEqual([]);
    expect(queries).toHaveBeenCalledTimes(1);
  });

  it('are read again at the end of the log after each wake-up, and on request of a reader', async () => {
    await put(0, 1);
    const { next } = await read(beginning);
    await put(1, 1);
    expect((await read(next)).versions).toEqual([]);
    expect((await read(next, 0)).versions).toEqual([2]);
    const { next: later } = await read(next);
    await put(2, 1);
    wake();
    expect((await read(later)).versions).toEqual([3]);
  });

  it('are returned together to a reader that is further behind', async () => {
    await put(0, 2);
    const { next } = await read(beginning);
    await put(2, 2);
    wake();
    await read(next);
    const queries = jest.spyOn(db, 'query');
    expect((await read(beginning)).versions).toEqual([1, 2, 3, 4]);
    expect(queries).not.toHaveBeenCalled();
  });

  it('whose read began before a wake-up do not hide its events', async () => {
    await put(0, 1);
    const { next } = await read(beginning);
    wake();
    const early = read(next);
    await put(1, 1);
    wake();
    expect((await read(next)).versions).toEqual([2]);
    await early;
  });

  it('are kept while slower consumers follow a burst, and forgotten later', async () => {
    await put(0, 7000);
    let at: Cursor = beginning;
    const readToTheEnd = async () => {
      for (;;) {
        const { next, versions } = await read(at, 0);
        if (versions.length === 0) break;
        at = next;
      }
    };
    await readToTheEnd();
    const queries = jest.spyOn(db, 'query');
    expect((await read(beginning)).versions[0]).toBe(1);
    expect(queries).not.toHaveBeenCalled();

    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 20_000);
    await put(7000, 1);
    await readToTheEnd();
    queries.mockClear();
    expect((await read(beginning)).versions[0]).toBe(1);
    expect(queries).toHaveBeenCalled();
  });

  it('are read ahead, one at a time, while the page before is handled', async () => {
    await put(0, 3500);
    const queries = jest.spyOn(db, 'query');
    const { next } = await read(beginning);
    expect(queries).toHaveBeenCalledTimes(2);
    await queries.mock.results[1]!.value;
    expect((await read(next)).versions[0]).toBe(1001);
    expect(queries).toHaveBeenCalledTimes(3);
  });
});
