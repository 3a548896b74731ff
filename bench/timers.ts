import { randomBytes } from 'node:crypto';
import { BullmqWakeUpQueue, type WakeUp } from '#timers';
import { milliseconds, quantile } from './measure.js';
import { count, type Row } from './report.js';

const PER_SECOND = 100;
const SECONDS = 10;
const OTHERS = 10_000;
const HOUR_MS = 3_600_000;

/**
 * Measures how late wake-ups come, from the due time to the call of the handler: a hundred a second, while ten thousand others
 * are pending.
 *
 * @param url a database that may be written to; the wake-up queue keeps its jobs in the schema `bullmq`.
 */
export async function benchWakeUps(url: string): Promise<Row> {
  const name = `bench-${randomBytes(4).toString('hex')}`;
  const wakeUpQueue = await BullmqWakeUpQueue.openOnPostgres({ databaseUrl: url, name });
  try {
    const others = wakeUps('pending', OTHERS, () => Date.now() + HOUR_MS);
    for (let from = 0; from < OTHERS; from += 1000) await wakeUpQueue.arm(others.slice(from, from + 1000));

    const due = PER_SECOND * SECONDS;
    const late: number[] = [];
    let done = () => {};
    const all = new Promise<void>((resolve) => {
      done = resolve;
    });
    await wakeUpQueue.listen(async ({ dueAt }) => {
      late.push(Date.now() - dueAt.getTime());
      if (late.length === due) done();
    });
    const start = Date.now() + 1000;
    await wakeUpQueue.arm(wakeUps('due', due, (i) => start + (i * 1000) / PER_SECOND));
    await all;
    return {
      what: `due, ${PER_SECOND}/s beside ${count(OTHERS)} pending`,
      measured: `${milliseconds(quantile(late, 0.5))} / ${milliseconds(quantile(late, 0.99))}`,
    };
  } finally {
    await wakeUpQueue.close();
  }
}

function wakeUps(prefix: string, number: number, dueAt: (index: number) => number): WakeUp[] {
  return Array.from({ length: number }, (_, i) => ({
    kind: 'bench',
    partition: 'default',
    name: `root.${prefix}.${i}`,
    generation: 1,
    dueAt: new Date(dueAt(i)),
  }));
}
