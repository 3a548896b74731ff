import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PostgresStartError } from './postgres-start-error.js';
import { birthOf, isAlive } from './processes.js';

const attempts = 5;

/**
 * Makes this process the owner of the server of this folder. A lock whose process has died is taken over: this
 * distinguishes a server orphaned by kill -9 from one in use.
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const lock = join(folder, 'owner.json');
  const mine = `${lock}.${process.pid}`;
  const text = JSON.stringify({ pid: process.pid, birth: await birthOf(process.pid) });
  await writeFile(mine, text, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      // A link is created atomically, unlike a written file.
      const taken = await link(mine, lock).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (taken) return { release: () => rm(lock, { force: true }) };
      await removeIfStale(lock, folder);
    }
  } finally {
    await rm(mine, { force: true });
  }
  throw new FolderInUse(folder, 'another process that is starting');
}

async function removeIfStale(lock: string, folder: string): Promise<void> {
  const text = await readFile(lock, 'utf8').catch(() => '');
  const owner = parseOwner(text);
  if (owner && isAlive(owner.pid) && (await birthOf(owner.pid)) === owner.birth) {
    throw new FolderInUse(
      folder,
      owner.pid === process.pid ? 'this process already' : `process ${owner.pid}`,
    );
  }
  // Moved before it is removed: of two processes that find it stale, one moves the lock that it read, and detects if it
  // was not that one.
  const aside = `${lock}.stale.${process.pid}`;
  await rename(lock, aside).catch(() => undefined);
  const moved = await readFile(aside, 'utf8').catch(() => text);
  if (moved !== text) await link(aside, lock).catch(() => undefined);
  await rm(aside, { force: true });
}

function parseOwner(text: string): { pid: number; birth: string } | undefined {
  try {
    const { pid, birth } = JSON.parse(text) as { pid?: unknown; birth?: unknown };
    return typeof pid === 'number' && typeof birth === 'string' ? { pid, birth } : undefined;
  } catch {
    return undefined;
  }
}

/** Another process uses the data folder. */
export class FolderInUse extends PostgresStartError {
  constructor(
    folder: string,
    readonly by: string,
  ) {
    super(
      `The database in ${folder} is used by ${by}.`,
      'Stop that one first, or give this one a data folder of its own: --data FOLDER.',
    );
  }
}
