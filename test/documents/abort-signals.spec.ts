import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

it('no signal is made that the garbage collector of Node 20 may take', async () => {
  const search = ['grep', '-n', 'AbortSignal.any(', '--', 'apps/*.ts', 'libs/*.ts', 'scripts'];
  const found = await promisify(execFile)('git', search).catch(({ stdout }: { stdout: string }) => ({
    stdout,
  }));
  expect(found.stdout).toBe('');
});
