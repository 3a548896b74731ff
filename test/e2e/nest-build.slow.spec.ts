import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);

/** Into a folder of its own, since other suites run what is in dist. */
describe('a program that nest has built', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeAll(async () => {
    folder = await temporaryFolder();
  });
  afterAll(() => folder.remove());

  it('finds its libraries, and prints its settings', async () => {
    const config = join(folder.path, 'tsconfig.json');
    const own = {
      extends: resolve('apps/timer/tsconfig.app.json'),
      compilerOptions: { outDir: join(folder.path, 'dist') },
    };
    await writeFile(config, JSON.stringify(own));
    await cp('package.json', join(folder.path, 'package.json'));
    await symlink(resolve('node_modules'), join(folder.path, 'node_modules'));
    await run(process.execPath, [
      'node_modules/@nestjs/cli/bin/nest.js',
      'build',
      'timer',
      '--path',
      relative(process.cwd(), config),
    ]);
    const { stdout } = await run(process.execPath, [
      join(folder.path, 'dist/apps/timer/src/main.js'),
      '--help',
    ]);
    expect(stdout).toContain('CURTAIL_PORT');
  }, 900_000);
});
