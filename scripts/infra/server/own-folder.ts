import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder for servers that live no longer than this process. If it is killed before it could clean up, the next run of the
 * tests knows by the pid in its name that it may (test/support/global-setup.mjs). Other accounts may pass through it, but not list it.
 */
export function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `curtail-test-${process.pid}-`));
  chmodSync(folder, 0o711);
  return folder;
}
