import { constants } from 'node:fs';
import { access, lstat, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, run } from './run.mjs';

/**
 * Brings node_modules in line with package-lock.json; does nothing, in some 20 ms, if it is.
 * Resolves to false if that failed.
 */
export async function install(progress) {
  const why = await reasonToInstall();
  if (!why) return true;
  const modules = await lstat(join(root, 'node_modules')).catch(() => undefined);
  if (modules?.isSymbolicLink()) {
    progress(`${why}, but node_modules is a link: another checkout's, left as it is`);
    return true;
  }
  progress(`${why}: installing the packages (npm ci)`);
  const words = [
    'ci',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    ...(await cacheOption()),
  ];
  const npm = process.env.npm_execpath;
  const code = npm ? await run(process.execPath, [npm, ...words]) : await run('npm', words);
  if (code === 0) return true;
  progress(
    'npm ci failed. "Missing: … from lock file" above: run `node scripts/complete-lock.mjs` (docs/development.md). ' +
      'A network error: the first install needs the npm registry.',
  );
  return false;
}

/** Compares the lock with the one that npm keeps of what it has installed. */
async function reasonToInstall() {
  const [wanted, present] = await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map(async (file) => {
      const text = await readFile(join(root, file), 'utf8').catch(() => undefined);
      return text && JSON.parse(text).packages;
    }),
  );
  if (!wanted) throw new Error('package-lock.json is missing: this checkout is incomplete');
  if (!present) return 'node_modules is missing';
  const differs = Object.entries(wanted).find(([path, { version, optional }]) => {
    if (path === '') return false;
    return present[path] ? present[path].version !== version : !optional;
  });
  return differs && `package-lock.json has changed (${differs[0].replace(/^.*node_modules\//, '')})`;
}

/** Accounts without a home (nobody) cannot use npm's usual cache. */
async function cacheOption() {
  const usual = process.env.npm_config_cache;
  if (!usual) return [];
  try {
    await mkdir(usual, { recursive: true });
    await access(usual, constants.W_OK);
    return [];
  } catch {
    return [`--cache=${join(root, '.curtail', 'npm-cache')}`];
  }
}
