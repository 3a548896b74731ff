import { describe, expect, it } from '@jest/globals';
import { StreamConflict } from '#event-store';
import { machineClock } from '../../../test/support/machine-clock.js';
import { PartitionChecks } from './partition-checks.js';
import type { CheckOutcome } from './start-due-runs.js';

const nothing: CheckOutcome = { latenessMs: [], more: false, left: false, wakeUps: [] };

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 25, 12, 0, seconds));

interface Page {
  by: Date | undefined;
  isSecond: boolean;
  end(outcome?: Partial<CheckOutcome>): Promise<void>;
  fail(error: Error): Promise<void>;
}

describe('checks of a partition', () => {
  /** Checks whose pages end when the test ends them, in the order in which they began. */
  function partitionChecks() {
    const begun: Page[] = [];
    const checks = new PartitionChecks(
      machineClock,
      (_, { by, isSecond = false }) =>
        new Promise((resolve, reject) => {
          begun.push({
            by,
            isSecond,
            end: async (outcome = {}) => {
              resolve({ ...nothing, ...outcome });
              await settled();
            },
            fail: async (error) => {
              reject(error);
              await settled();
            },
          });
        }),
    );
    return { checks, begun };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const kinds = (begun: { isSecond: boolean }[]) =>
    begun.map(({ isSecond }) => (isSecond ? 'beside' : 'leading'));

  it('overlap, and a request while three are under way causes one more when one of them is done', async () => {
    const { checks, begun } = partitionChecks();
    const requests = [1, 2, 3, 4, 5].map(() => checks.request('p'));
    expect(kinds(begun)).toEqual(['leading', 'beside', 'beside']);
    await begun[1]!.end();
    expect(begun).toHaveLength(4);
    for (const check of [0, 2, 3]) await begun[check]!.end();
    await Promise.all(requests);
    expect(begun).toHaveLength(4);
  });

  it('leave a whole page to the leading one, and run again when that is done: nothing due is left behind', async () => {
    const { checks, begun } = partitionChecks();
    const requests = [checks.request('p'), checks.request('p')];
    await begun[1]!.end({ left: true });
    expect(begun).toHaveLength(2);
    await begun[0]!.end();
    expect(kinds(begun)).toEqual(['leading', 'beside', 'leading']);
    await begun[2]!.end({ more: true });
    expect(kinds(begun).at(-1)).toBe('leading');
    await begun[3]!.end();
    await Promise.all(requests);
  });

  it('of another partition do not wait', () => {
    const { checks, begun } = partitionChecks();
    for (const partition of ['p', 'p', 'p', 'p', 'q']) void checks.request(partition);
    expect(kinds(begun)).toEqual(['leading', 'beside', 'beside', 'leading']);
  });

  it('take the latest moment of all requests that wait for the next one', async () => {
    const { checks, begun } = partitionChecks();
    for (let i = 0; i < 3; i++) void checks.request('p', at(10));
    for (const seconds of [20, 40, 30]) void checks.request('p', at(seconds));
    await begun[0]!.end();
    expect(begun.map(({ by }) => by)).toEqual([at(10), at(10), at(10), at(40)]);
  });

  it('repeat a page at once when a clock has changed under it, ten times at most', async () => {
    const { checks, begun } = partitionChecks();
    const request = checks.request('p');
    const failed = expect(request).rejects.toThrow(StreamConflict);
    for (let page = 0; page < 10; page++) await begun[page]!.fail(new StreamConflict('changed'));
    await failed;
    expect(kinds(begun)).toEqual(new Array(10).fill('leading'));
    // The failed one leads no longer.
    void checks.request('p');
    expect(kinds(begun).at(-1)).toBe('leading');
  });

  it('fail with any other error at once, and do not fail the next one', async () => {
    const { checks, begun } = partitionChecks();
    const requests = [1, 2, 3, 4].map(() => checks.request('p'));
    const failed = expect(requests[0]).rejects.toThrow('no answer');
    await begun[0]!.fail(new Error('no answer'));
    await failed;
    expect(begun).toHaveLength(4);
    for (const page of begun.slice(1)) await page.end();
    await Promise.all(requests.slice(1));
  });

  it('begin nothing once stopped, and stop when their pages are done', async () => {
    const { checks, begun } = partitionChecks();
    const requests = [1, 2, 3, 4].map(() => checks.request('p'));
    let hasStopped = false;
    const stopping = checks.stop().then(() => {
      hasStopped = true;
    });
    for (const page of begun.slice(0, 2)) await page.end({ more: true });
    expect(hasStopped).toBe(false);
    await begun[2]!.end({ more: true });
    await Promise.all([stopping, ...requests]);
    await checks.request('p');
    expect(begun).toHaveLength(3);
  });
});
