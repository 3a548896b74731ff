import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openCache } from '../folders.js';
import { InfraError } from '../infra-error.js';
import { findOnPath } from './find-on-path.js';
import { runQuietly } from './run-quietly.js';

const kept = (): string => join(openCache(), 'promtool', 'promtool');

const remedy =
  'Install Prometheus (Debian: apt-get install prometheus), or let CURTAIL_PROMTOOL name its program promtool.';

/** CURTAIL_PROMTOOL, else the one of the PATH, else the one that was fetched; undefined if there is none. */
export function findPromtool(): string | undefined {
  const fetched = kept();
  return (
    process.env.CURTAIL_PROMTOOL || findOnPath('promtool') || (existsSync(fetched) ? fetched : undefined)
  );
}

/**
 * Takes promtool out of Debian's package unless the machine has one. Nothing is installed: the package would start a server.
 *
 * @throws InfraError where there is no apt-get, or it cannot fetch the package.
 */
export async function getPromtool(progress: (line: string) => void): Promise<string> {
  const found = findPromtool();
  if (found !== undefined) return found;
  if (findOnPath('apt-get') === undefined || findOnPath('dpkg-deb') === undefined)
    throw new InfraError('There is no promtool.', remedy);
  progress("fetching promtool, once: 20 MB, from Debian's package prometheus");
  const program = kept();
  const folder = await mkdtemp(join(tmpdir(), 'curtail-promtool-'));
  // apt fetches as an account of its own.
  await chmod(folder, 0o777);
  try {
    await downloadInto(folder);
    const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.deb'));
    await must('dpkg-deb', ['-x', join(folder, archive ?? 'prometheus.deb'), folder]);
    await mkdir(dirname(program), { recursive: true });
    await must('cp', [join(folder, 'usr/bin/promtool'), `${program}.${process.pid}.partial`]);
    await rename(`${program}.${process.pid}.partial`, program);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return program;
}

/** Lists of packages may be missing, or older than the archive; only root may renew them. */
async function downloadInto(folder: string): Promise<void> {
  const download = () => runQuietly('sh', ['-c', 'cd "$1" && apt-get download -qq prometheus', 'sh', folder]);
  if ((await download()).code === 0) return;
  if (process.getuid?.() === 0) await runQuietly('apt-get', ['update', '-qq']);
  const { code, tail } = await download();
  if (code !== 0) throw new InfraError('promtool cannot be fetched.', remedy, tail);
}

async function must(program: string, words: string[]): Promise<void> {
  const { code, tail } = await runQuietly(program, words);
  if (code !== 0) throw new InfraError('promtool cannot be taken out of its package.', remedy, tail);
}
