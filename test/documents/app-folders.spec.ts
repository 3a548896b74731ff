import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

/*
 * That imports inside an app lead from a folder down into its subfolders is checked by dependency-cruiser. Its rules for folders count
 * specs and go through libs, so folders beside each other are checked here.
 */

const sources = execFileSync('git', ['ls-files', 'apps/*.ts', 'apps/*.tsx'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => !/\.spec\.tsx?$/.test(path));

/** The folders that the files of a folder import from. */
function importsOfFolders(): Map<string, Set<string>> {
  const of = new Map<string, Set<string>>();
  for (const path of sources) {
    const folder = dirname(path);
    const imported = of.get(folder) ?? new Set();
    for (const [, from] of readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g)) {
      const other = dirname(join(folder, from!));
      if (other !== folder) imported.add(other);
    }
    of.set(folder, imported);
  }
  return of;
}

/** @returns the folders that lead from this one back to it; undefined: none do. */
function circleOf(folder: string, of: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const seen = new Set<string>();
  const waysBack = (at: string): string[] | undefined => {
    for (const next of of.get(at) ?? []) {
      if (next === folder) return [at];
      if (seen.has(next)) continue;
      seen.add(next);
      const rest = waysBack(next);
      if (rest) return [at, ...rest];
    }
    return undefined;
  };
  return waysBack(folder);
}

it('no folder of an app needs one that needs it: what both need has a folder below them', () => {
  const of = importsOfFolders();
  expect(of.size).toBeGreaterThan(50);
  expect([...of.keys()].flatMap((folder) => circleOf(folder, of)?.join(' -> ') ?? [])).toEqual([]);
});
