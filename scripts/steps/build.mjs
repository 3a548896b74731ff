import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile } from './compile.mjs';
import { root, runNode } from './run.mjs';

const sources = [
  'apps',
  'bench',
  'libs',
  'migrations',
  'package-lock.json',
  'package.json',
  'scripts/steps/compile.mjs',
  'tsconfig.json',
];
const stamp = join(root, 'dist', '.stamp');

/** Whether dist was built from the sources as they are now. */
export async function isBuilt() {
  return (await readFile(stamp, 'utf8').catch(() => '')) === (await fingerprint());
}

/** Builds all apps into dist if a source changed since it was built. Resolves to false if that failed. */
export async function build(progress) {
  const state = await fingerprint();
  const built = await readFile(stamp, 'utf8').catch(() => '');
  if (built === state) return true;
  progress(built ? 'the sources have changed: building' : 'building');
  // Output of a removed source must not be run.
  await rm(join(root, 'dist'), { recursive: true, force: true });
  if (!(await compile())) return false;
  // The page, beside the program that serves it.
  const words = ['build', 'apps/console/web', '--logLevel', 'error'];
  if ((await runNode('node_modules/vite/bin/vite.js', words)) !== 0) return false;
  await mkdir(join(root, 'dist'), { recursive: true });
  await writeFile(stamp, state);
  return true;
}

/** Changes when a source is added, removed or written: their names, sizes and times. */
async function fingerprint() {
  const files = await Promise.all(sources.map((name) => listFiles(name)));
  const lines = await Promise.all(
    files
      .flat()
      .sort()
      .map(async (file) => {
        const { size, mtimeMs } = await stat(join(root, file));
        return `${file} ${size} ${mtimeMs}`;
      }),
  );
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

async function listFiles(name) {
  if (!(await stat(join(root, name))).isDirectory()) return [name];
  const entries = await readdir(join(root, name), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}
