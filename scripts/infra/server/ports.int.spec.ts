import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from '@jest/globals';
import { freePorts, reserve } from './ports.js';

const program = `
  const { freePorts, reserve } = await import('./scripts/infra/server/ports.ts');
  const { port } = await freePorts(['port']);
  console.log(JSON.stringify({ port, getsOurs: await reserve(Number(process.env.OURS)) }));
  process.stdin.resume();
`;

it('a port is given to one process, until that ends, though nothing listens on it yet', async () => {
  const { port: ours } = await freePorts(['port'] as const);
  const words = ['--import', './test/support/typescript.mjs', '--input-type=module', '-e', program];
  const other = spawn(process.execPath, words, {
    env: { ...process.env, OURS: String(ours) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: other.stdout }), 'line');
  const { port: theirs, getsOurs } = JSON.parse(line as string);
  expect(getsOurs).toBe(false);
  expect(await reserve(theirs)).toBe(false);
  const ended = once(other, 'exit');
  other.stdin.end();
  await ended;
  expect(await reserve(theirs)).toBe(true);
});
