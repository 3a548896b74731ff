import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { skewedBy } from './skewed-by.js';

const script = `
  const { Worker } = require('node:worker_threads');
  const wrong = Date.now();
  new Worker('require("node:worker_threads").parentPort.postMessage(Date.now())', { eval: true }).on('message', (inWorker) =>
    console.log(JSON.stringify({
      now: wrong - (performance.timeOrigin + performance.now()),
      made: new Date() - (performance.timeOrigin + performance.now()),
      inWorker: inWorker - (performance.timeOrigin + performance.now()),
      given: new Date(5).getTime(),
      isDate: new Date() instanceof Date && new Date().constructor === Date,
    })),
  );`;

describe('a process with a skewed clock', () => {
  it.each([600_000, -600_000])('is off by %d ms in every thread, and by nothing else', async (skewMs) => {
    const env = { ...process.env, ...skewedBy(skewMs) };
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env });
    const { now, made, inWorker, ...rest } = JSON.parse(stdout);
    for (const off of [now, made, inWorker]) expect(Math.abs(off - skewMs)).toBeLessThan(5000);
    expect(rest).toEqual({ given: 5, isDate: true });
  });
});
