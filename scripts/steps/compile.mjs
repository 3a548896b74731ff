/**
 * `node scripts/steps/compile.mjs [folder]`: compiles the programs of a checkout, by default this one, into its dist. It does not check
 * types.
 */
import { realpathSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, runNode } from './run.mjs';

const imported = /\b(from|import) (['"])(@curtail\/[^'"]+)\2/g;

/** Compiles the programs of a checkout. Resolves to false if that failed. */
export async function compile(folder = root) {
  const words = ['-p', join(folder, 'apps/curtail/tsconfig.app.json')];
  if ((await runNode('node_modules/typescript-7/bin/tsc', words)) !== 0) return false;
  await replaceAliases(folder);
  return true;
}

/** Writes paths in place of the aliases: Node does not know them, and the compiler leaves them as they are. */
async function replaceAliases(folder) {
  const { compilerOptions } = JSON.parse(await readFile(join(folder, 'tsconfig.json'), 'utf8'));
  const dist = join(folder, 'dist');
  const pathOf = (alias) => {
    const [source] = compilerOptions.paths[alias] ?? [];
    if (source === undefined) throw new Error(`tsconfig.json has no path for ${alias}`);
    return join(dist, source.replace(/\.ts$/, '.js'));
  };
  const files = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
  await Promise.all(
    files.map(async (name) => {
      const file = join(dist, name);
      const text = await readFile(file, 'utf8');
      const replaced = text.replace(imported, (_, word, quote, alias) => {
        const path = relative(dirname(file), pathOf(alias)).replaceAll('\\', '/');
        return `${word} ${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
      });
      if (replaced !== text) await writeFile(file, replaced);
    }),
  );
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (!(await compile(folder && resolve(folder)))) process.exit(1);
}
