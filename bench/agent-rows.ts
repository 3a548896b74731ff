import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { milliseconds } from './measure.js';
import { coreMilliseconds, peakMemory, residentMemory, root } from './processes.js';
import type { Row } from './report.js';

/** What an agent alone may take, and how long it is measured. */
export interface Alone {
  megabytes?: number;
  /** Of a core, while nothing happens. */
  idlePercent: number;
  settleSeconds?: number;
  idleSeconds?: number;
}

/**
 * Memory of an agent alone, and what it does while nothing happens.
 *
 * @param program below dist/bench; it is called with `cluster`, and sends a message when everything is known.
 */
export async function aloneRows(
  program: string,
  cluster: string,
  { megabytes: mostMegabytes = 150, idlePercent, settleSeconds = 5, idleSeconds = 30 }: Alone,
): Promise<Row[]> {
  const child = fork(join(root, 'dist/bench', program), [cluster]);
  await once(child, 'message');
  const pid = child.pid!;
  await delay(settleSeconds * 1000);
  const before = (await coreMilliseconds(pid)) ?? Number.NaN;
  await delay(idleSeconds * 1000);
  const share = ((await coreMilliseconds(pid)) ?? Number.NaN) - before;
  const percent = share / (idleSeconds * 10);
  const [peak, now] = [(await peakMemory(pid)) ?? Number.NaN, (await residentMemory(pid)) ?? Number.NaN];
  child.kill();
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
  return [
    {
      what: 'memory of the agent alone, at most',
      measured: `${megabytes(peak)} (${megabytes(now)} after ${idleSeconds} s)`,
      target: `<= ${mostMegabytes} MB`,
      met: peak <= mostMegabytes * 2 ** 20,
    },
    {
      what: 'idle agent, of a core',
      measured: `${percent.toFixed(2)} %`,
      target: `<= ${idlePercent} %`,
      met: percent <= idlePercent,
    },
  ];
}

export function beside(what: string, time: number, other: number, atMost: number): Row {
  return {
    what,
    measured: milliseconds(time),
    beside: milliseconds(other),
    ratio: (time / other).toFixed(2),
    target: `<= ${atMost} x`,
    met: time <= atMost * other,
  };
}
