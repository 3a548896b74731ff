import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package that this program belongs to: that of its package.json. The sources and the built program are at different depths below it. */
export function packageFolder(): string | undefined {
  for (
    let folder = dirname(fileURLToPath(import.meta.url));
    folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    if (existsSync(join(folder, 'package.json'))) return folder;
  }
  return undefined;
}

/** The version of this program, as package.json has it. */
export function programVersion(): string {
  const folder = packageFolder();
  if (folder === undefined) return 'unknown';
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
