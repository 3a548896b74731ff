import { open } from 'node:fs/promises';

/** Flushes a file, or the entries of a folder. */
export async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
