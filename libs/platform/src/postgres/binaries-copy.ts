import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Account } from './account.js';
import { DataFolderError, PostgresStartError } from './postgres-start-error.js';

/** The folder of root for files that the server's account cannot reach elsewhere (a checkout under /root). */
const systemFolder = '/var/lib/curtail';

/** Creates a folder of root that every account may traverse, and returns its path. */
export async function systemSubfolder(name: string): Promise<string> {
  const folder = join(systemFolder, name);
  try {
    await mkdir(folder, { recursive: true });
    for (const made of [systemFolder, folder]) {
      if ((await stat(made)).uid !== 0)
        throw new DataFolderError('not-owned-by-root', `${made} does not belong to root`);
      await chmod(made, 0o711);
    }
    return folder;
  } catch (cause) {
    const error = new PostgresStartError(
      `${folder} cannot be used: ${(cause as Error).message}`,
      'Start as an ordinary user, or from a folder that other accounts can enter (not under /root).',
    );
    error.cause = cause;
    throw error;
  }
}

/**
 * Copies the programs to a place where the account can run them, once for each version. The copy gets its final name
 * only when it is complete.
 */
export async function copyForAccount(
  native: string,
  account: Account,
  log: (line: string) => void,
): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  const copy = join(await systemSubfolder('postgresql'), `${name.split('/').at(-1)}-${version}`);
  if (await stat(copy).catch(() => undefined)) return copy;

  log(`Account ${account.name} cannot run the programs in ${native}; copying them to ${copy}.`);
  const partial = await mkdtemp(`${copy}.`);
  try {
    await cp(native, partial, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.a'),
    });
    await openToAll(partial);
    await rename(partial, copy);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if (!(await stat(copy).catch(() => undefined))) throw error;
  }
  return copy;
}

/** Readable and executable for all, writable for root only, whatever the umask of the installation. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, dirname(path).endsWith('bin') ? 0o755 : 0o644);
  }
}
