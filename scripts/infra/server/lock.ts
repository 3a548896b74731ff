import { setTimeout as delay } from 'node:timers/promises';
import { FolderInUse, lockFolder } from '../../../libs/platform/src/postgres/folder-lock.js';
import { InfraError } from '../infra-error.js';

const pollMs = 100;
/** A first setup on a slow line. */
const patienceMs = 15 * 60_000;

/**
 * Does the work while no other process works on the folder; waits for one that does. Of a process that was killed the lock is
 * taken over.
 */
export async function withLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + patienceMs; ; await delay(pollMs)) {
    const lock = await lockFolder(folder).catch((error: unknown) => {
      if (!(error instanceof FolderInUse)) throw error;
      if (Date.now() < until) return undefined;
      throw new InfraError(
        `${folder} has been in use by ${error.by} for ${patienceMs / 60_000} minutes.`,
        'Stop that one first.',
      );
    });
    if (!lock) continue;
    try {
      return await work();
    } finally {
      await lock.release();
    }
  }
}
