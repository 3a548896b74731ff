import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../terminal/errors.js';
import { explained } from './source.js';

const isConfiguration = (name: string) =>
  !name.startsWith('.') && (/\.(ya?ml|json|yson)$/i.test(name) || /^capacity-scheduler\.xml$/i.test(name));

/**
 * The files behind paths, each once; `-` is standard input. Of a folder its YAML, JSON and YSON files and its capacity-scheduler.xml, by name,
 * without the folders in it.
 *
 * @throws CommandError for a path that cannot be read or occurs twice, and for a folder without such files.
 */
export async function configurationFiles(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    for (const file of await filesAt(path)) {
      if (files.includes(file)) throw new CommandError(`${file} is given twice; name it once`);
      files.push(file);
    }
  }
  return files;
}

async function filesAt(path: string): Promise<string[]> {
  if (path === '-' || !(await explained(path, stat(path))).isDirectory()) return [path];
  const entries = await explained(path, readdir(path, { withFileTypes: true }));
  const names = entries.filter((entry) => !entry.isDirectory() && isConfiguration(entry.name));
  if (names.length === 0)
    throw new CommandError(
      `the folder ${path} has no configuration: no .yaml, .yml, .json or .yson file, and no capacity-scheduler.xml`,
    );
  return names.map(({ name }) => join(path, name)).sort();
}
