import { randomBytes } from 'node:crypto';
import { BullmqDoorbell, type Ring } from '@curtail/timers';
import { loadAverage, milliseconds, table } from './measure.js';

const PER_SECOND = 100;
const SECONDS = 10;
const OTHERS = 10_000;
const HOUR_MS = 3_600_000;

/**
 * Measures how late rings come, from the due time to the call of the handler: a hundred a second, while ten thousand others
 * are pending. Prints a row.
 *
 * @param url a database that may be written to; the doorbell keeps its jobs in the schema `bullmq`.
 */
export async function benchTimers(
  url: string,
  print: (text: string) => void = console.log,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const name = `bench-${randomBytes(4).toString('hex')}`;
  const doorbell = await BullmqDoorbell.open({ databaseUrl: url, name });
  try {
    const others = rings('pending', OTHERS, () => Date.now() + HOUR_MS);
    for (let from = 0; from < OTHERS; from += 1000) await doorbell.arm(others.slice(from, from + 1000));

    const count = PER_SECOND * SECONDS;
    const late: number[] = [];
    let done = () => {};
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    await doorbell.listen(async ({ dueAt }) => {
      late.push(Date.now() - dueAt.getTime());
      if (late.length === count) done();
    });
    const start = Date.now() + 1000;
    await doorbell.arm(rings('due', count, (i) => start + (i * 1000) / PER_SECOND));
    await all;

    late.sort((a, b) => a - b);
    const at = (share: number): number => late[Math.min(count - 1, Math.floor(count * share))]!;
    print(`Timers: ${count} rings, load average ${loadAverage()}`);
    print(
      table(
        ['what', 'p50', 'p99', 'longest', 'p99 at most'],
        [
          [
            `${PER_SECOND} rings/s beside ${OTHERS} pending, late by`,
            milliseconds(at(0.5)),
            milliseconds(at(0.99)),
            milliseconds(at(1)),
            milliseconds(20),
          ],
        ],
      ),
    );
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  } finally {
    await doorbell.close();
  }
}

function rings(prefix: string, count: number, dueAt: (index: number) => number): Ring[] {
  return Array.from({ length: count }, (_, i) => ({
    kind: 'bench',
    partition: 'default',
    name: `root.${prefix}.${i}`,
    generation: 1,
    dueAt: new Date(dueAt(i)),
  }));
}
