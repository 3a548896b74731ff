import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

/** The packages that a module needs before its first statement runs, its own modules included. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '([^']+)';/gm)].flatMap(
    ([, name]) => {
      if (name!.startsWith('.')) return packagesOf(join(dirname(file), name!), seen);
      return name!.startsWith('node:') ? [] : [`${file}: ${name}`];
    },
  );
}

const installing = readdirSync('scripts')
  .map((name) => `scripts/${name}`)
  .filter((file) => file.endsWith('.mjs') && readFileSync(file, 'utf8').includes("'./steps/install.mjs'"));

it('finds the commands that install the packages', () => {
  expect(installing).toEqual(expect.arrayContaining(['scripts/start.mjs', 'scripts/test.mjs']));
});

it.each(installing)('%s starts before anything is installed', (file) => {
  expect(packagesOf(file)).toEqual([]);
});
