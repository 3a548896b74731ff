import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder for one test, with the mode given; others may pass through it by default. */
export async function temporaryFolder(mode = 0o711): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'curtail-folder-'));
  await chmod(path, mode);
  // Processes left running by a killed server may still write into it for a moment.
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 20 }) };
}
