import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { skewedBy } from './skewed-by.js';

const script = `
  const rightNow = () => performance.timeOrigin + performance.now();
  console.log(JSON.stringify({
    now: Date.now() - rightNow(),
    made: new Date() - rightNow(),
    given: new Date(5).getTime(),
    isDate: new Date() instanceof Date && new Date().constructor === Date,
  }));`;

describe('a process with a skewed clock', () => {
  it.each([600_000, -600_000])('is off by %d ms, and nothing else is', async (skewMs) => {
    const env = { ...process.env, ...skewedBy(skewMs) };
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env });
    const { now, made, ...rest } = JSON.parse(stdout);
    for (const off of [now, made]) expect(Math.abs(off - skewMs)).toBeLessThan(5000);
    expect(rest).toEqual({ given: 5, isDate: true });
  });
});
