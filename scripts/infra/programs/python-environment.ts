import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCache } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { withLock } from '../server/lock.js';
import { findOnPath } from './find-on-path.js';
import { runQuietly } from './run-quietly.js';

/**
 * The folder of the programs of a Python environment with what a requirements file asks for. It is made with pip in the cache, once for
 * each state of the file; later calls need no network.
 *
 * @throws InfraError with the reason where Python, pip or a package cannot be had.
 */
export async function pythonEnvironment(requirements: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(requirements));
  const folder = join(openCache(), `python-${hash.digest('hex').slice(0, 12)}`);
  const programs = join(folder, 'environment', 'bin');
  const complete = join(folder, 'complete');
  const isThere = () => existsSync(complete) && existsSync(join(programs, 'python'));
  if (isThere()) return programs;
  await mkdir(folder, { recursive: true });
  // A lock of its own: setups of servers need not wait for pip.
  return withLock(folder, async () => {
    if (isThere()) return programs;
    const python = findOnPath('python3') ?? findOnPath('python');
    if (!python) throw new InfraError('There is no Python.', 'Install Python 3.11 or newer, with pip.');
    await rm(complete, { force: true });
    await run(python, ['-m', 'venv', '--clear', join(folder, 'environment')]);
    await run(join(programs, 'python'), [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1'],
      ...['-r', requirements],
    ]);
    await writeFile(complete, '');
    return programs;
  });
}

async function run(program: string, words: string[]): Promise<void> {
  const { code, tail } = await runQuietly(program, words);
  if (code === 0) return;
  const lines = tail.split('\n');
  throw new InfraError(
    `The packages of Python cannot be installed: ${lines.at(-1)}`,
    'The first time needs Python 3.11 or newer, with pip, and PyPI or the index that pip is configured with.',
    tail,
  );
}
