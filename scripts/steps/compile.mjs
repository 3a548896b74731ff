/**
 * `node scripts/steps/compile.mjs [folder]`: compiles the programs of a checkout, by default this one, into its dist. It does not check
 * types.
 */
import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, runNode } from './run.mjs';

/** Compiles the programs of a checkout. Resolves to false if that failed. */
export async function compile(folder = root) {
  const words = ['-p', join(folder, 'apps/curtail/tsconfig.app.json')];
  return (await runNode('node_modules/typescript-7/bin/tsc', words)) === 0;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (!(await compile(folder && resolve(folder)))) process.exit(1);
}
