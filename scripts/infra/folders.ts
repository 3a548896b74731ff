import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InfraError } from './infra-error.js';

/** The top folder of the checkout, from wherever in it this runs: from its place, or built below dist. */
export const root = topFolder(dirname(fileURLToPath(import.meta.url)));

function topFolder(from: string): string {
  if (existsSync(join(from, 'test', 'infra', 'pom.xml'))) return from;
  if (from === dirname(from)) throw new Error('test/infra/pom.xml is missing: this checkout is incomplete');
  return topFolder(dirname(from));
}

/** Where the servers of `npm run infra` live: data, logs, ports. Of this checkout alone, and not in git. */
export const usualFolder = join(root, '.curtail', 'infra');

/**
 * Where programs are kept once fetched: shared by all checkouts of this account, and outside node_modules, which
 * `npm ci` empties. CURTAIL_INFRA_CACHE, else the account's folder for caches; without a home, one in the folder for temporary files.
 */
export function openCache(): string {
  const chosen = process.env.CURTAIL_INFRA_CACHE;
  const usual = [
    process.env.XDG_CACHE_HOME && join(process.env.XDG_CACHE_HOME, 'curtail'),
    process.platform === 'darwin' && join(homedir(), 'Library', 'Caches', 'curtail'),
    join(homedir(), '.cache', 'curtail'),
  ];
  for (const folder of chosen ? [chosen] : usual) {
    if (folder && canWrite(folder)) return folder;
  }
  if (chosen) {
    throw new InfraError(
      `CURTAIL_INFRA_CACHE is ${chosen}, which cannot be made or written.`,
      'Name a folder that can, or unset it.',
    );
  }
  return cacheOfNobody();
}

function canWrite(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Programs are run from here, so no one else may own it: the folder for temporary files is open to all accounts. */
function cacheOfNobody(): string {
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `curtail-cache-${uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== uid)) {
    throw new InfraError(
      `${folder} belongs to another account.`,
      'Set CURTAIL_INFRA_CACHE to a folder of your own.',
    );
  }
  chmodSync(folder, 0o700);
  return folder;
}
