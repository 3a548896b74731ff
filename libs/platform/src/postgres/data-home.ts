import { randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Account, canEnter, serverAccount } from './account.js';
import { systemSubfolder } from './binaries-copy.js';
import { DataFolderError, PostgresStartError } from './postgres-start-error.js';

/** The files of one database. */
export interface DataHome {
  /** Contains everything below. The requested data folder, or its substitute. */
  folder: string;
  /** PostgreSQL's own folder; absent before the first start. */
  cluster: string;
  log: string;
  account: Account | undefined;
}

/**
 * Opens the data folder, and creates it if necessary. If the server's account cannot enter it, the data are in a folder
 * of the system, whose name the data folder keeps: removing or moving the data folder then has the expected effect.
 */
export async function openHome(dataDir: string, log: (line: string) => void): Promise<DataHome> {
  const asked = await makeFolder(dataDir);
  const account = await serverAccount(await ownerOf(join(asked, 'cluster')));
  const pointer = join(asked, 'stands-in.txt');
  const standIn = (await readFile(pointer, 'utf8').catch(() => '')).trim();
  if (!standIn && (await canEnter(account, asked))) return homeIn(asked, account);

  if (!account)
    throw cannotUse(
      asked,
      new DataFolderError('kept-elsewhere', 'root started it, and its data are in a folder of the system'),
    );
  const name = standIn || `data-${randomBytes(6).toString('hex')}`;
  if (!/^data-[0-9a-f]{12}$/.test(name))
    throw cannotUse(asked, new DataFolderError('damaged', `${pointer} is damaged`));
  const folder = await systemSubfolder(name);
  await writeFile(pointer, `${name}\n`);
  const owner = await serverAccount(await ownerOf(join(folder, 'cluster')));
  log(`Account ${owner?.name} cannot enter ${asked}; the data are in ${folder}.`);
  return homeIn(folder, owner);
}

/** Without symbolic links, so that a server is known by its path however the folder was named. */
async function makeFolder(dataDir: string): Promise<string> {
  try {
    await makeFolders(dataDir);
    return await realpath(dataDir);
  } catch (cause) {
    throw cannotUse(dataDir, cause);
  }
}

/**
 * As `mkdir -p`. Node's own repeats forever where a file system, such as that of /proc, denies that there is a folder of it.
 *
 * @throws the error of the system, or Error where a part of the path is not a folder.
 */
async function makeFolders(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = await stat(at).catch(ifMissing);
    if (found?.isDirectory()) break;
    if (found) throw new DataFolderError('not-a-folder', `${at} is not a folder`);
    missing.push(at);
  }
  for (const folder of missing.toReversed()) {
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function homeIn(folder: string, account: Account | undefined): DataHome {
  return { folder, cluster: join(folder, 'cluster'), log: join(folder, 'server.log'), account };
}

async function ownerOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.uid;
}

/** Random, made once, readable by the owner only: other accounts of the machine can reach the port too. */
export async function keptPassword(folder: string): Promise<string> {
  const file = join(folder, 'password');
  try {
    const kept = (await readFile(file, 'utf8').catch(ifAbsent)).trim();
    if (kept) return kept;
    const made = randomBytes(24).toString('base64url');
    await writeFile(file, made, { mode: 0o600 });
    return made;
  } catch (error) {
    throw cannotUse(folder, error);
  }
}

function ifAbsent(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

export function cannotUse(folder: string, cause: unknown): PostgresStartError {
  return new PostgresStartError(
    `The data folder ${folder} cannot be used: ${(cause as Error).message}`,
    'Start as the account that made it, or choose another data folder.',
  );
}
