import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { isAlive } from '../../../libs/platform/src/postgres/processes.js';
import { root } from '../folders.js';

const program = `
  import { startRedis, startPostgres } from ${JSON.stringify(join(root, 'scripts/infra/index.ts'))};
  const servers = [await startRedis(), await startPostgres()];
  console.log(JSON.stringify(servers.map(({ pid, folder }) => ({ pid, folder }))));
  process.stdin.resume();
`;

let owner: ChildProcess;
afterEach(() => {
  owner.kill('SIGKILL');
});

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'a server of a test ends with the process that has started it (%s)',
  async (signal) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const typescript = join(root, 'test/support/typescript.mjs');
    owner = spawn(process.execPath, ['--import', typescript, '--input-type=module', '-e', program], {
      env,
      stdio: 'pipe',
    });
    const [line] = (await once(owner.stdout!, 'data')) as [Buffer];
    const servers = JSON.parse(String(line)) as { pid: number; folder: string }[];
    expect(servers.map(({ pid }) => isAlive(pid))).toEqual([true, true]);
    owner.kill(signal);
    // Without its end this does not end either, and the test's time runs out.
    while (servers.some(({ pid }) => isAlive(pid))) await new Promise((resolve) => setTimeout(resolve, 10));
    for (const { folder } of servers) await rm(folder, { recursive: true, force: true });
  },
);
