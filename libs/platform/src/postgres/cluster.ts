import { spawn } from 'node:child_process';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.js';
import type { DataHome } from './data-home.js';
import { PostgresStartError } from './postgres-start-error.js';

/** The only role that is created at first. */
export const superuser = 'curtail';

/** The environment of the programs: empty, so that the user's PGDATA or PGPORT has no effect. */
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Creates PostgreSQL's folder unless it exists, and refuses one of another major version. A crash halfway leaves a
 * folder under another name, which the next start removes.
 */
export async function prepareCluster(
  home: DataHome,
  binaries: Binaries,
  { password, durable }: { password: string; durable: boolean },
): Promise<void> {
  const partial = `${home.cluster}.partial`;
  await rm(partial, { recursive: true, force: true });
  const version = await clusterMajor(home.cluster);
  if (version === binaries.major) return;
  if (version !== undefined) throw otherMajor(home, binaries, version);

  const passwordFile = join(home.folder, 'password.initdb');
  await mkdir(partial, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  for (const path of [partial, passwordFile]) {
    if (home.account) await chown(path, home.account.uid, home.account.gid);
  }
  try {
    await runInitdb(home, binaries, [
      `--pgdata=${partial}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(durable ? [] : ['--no-sync']),
    ]);
    await rename(partial, home.cluster);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function clusterMajor(cluster: string): Promise<number | undefined> {
  try {
    return Number((await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new PostgresStartError(
      `The data folder ${cluster} cannot be read: ${(error as Error).message}`,
      'Start as the account that made it, or choose another data folder.',
    );
  }
}

function otherMajor(home: DataHome, binaries: Binaries, version: number): PostgresStartError {
  return new PostgresStartError(
    `The data in ${home.folder} were made by PostgreSQL ${version}, but ${binaries.postgres} is PostgreSQL ${binaries.major}.`,
    `Set CURTAIL_PG_BIN to the bin folder of PostgreSQL ${version}, or choose another data folder. ` +
      'To move the data, dump them and restore them into a new database: docs/how-to/back-up-and-restore.md.',
  );
}

async function runInitdb(home: DataHome, binaries: Binaries, words: string[]): Promise<void> {
  const ids = home.account && { uid: home.account.uid, gid: home.account.gid };
  const child = spawn(binaries.initdb, words, { ...ids, cwd: '/', env: serverEnvironment });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  }).catch((error: Error) => {
    output += error.message;
    return null;
  });
  if (code === 0) return;
  throw new PostgresStartError(
    `A new database could not be made in ${home.folder}.`,
    'Check that the disk has room (60 MB) and that the folder can be written.',
    output.trim().split('\n').slice(-10).join('\n'),
  );
}
