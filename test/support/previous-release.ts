import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { migrations } from '#migrations';

const run = promisify(execFile);
/** Builds are kept, for the same commit is built again and again. */
const folder = resolve('.curtail/releases');

/** The number of the migration that all databases begin with. */
const firstMigration = /\d+$/.exec(migrations[0]!.name)![0];

/** The commit that stands for the release before this one, or why there is none at hand. */
export type Previous = { commit: string } | { missing: string };

/**
 * The commit whose services the current ones have to work beside: CURTAIL_TEST_PREVIOUS if that is set; else the newest tag `v…` before
 * this commit; else, on a branch, where it left `main`; else the commit before this one.
 */
export function previousCommit(): Previous {
  const chosen = process.env.CURTAIL_TEST_PREVIOUS;
  if (chosen) {
    const commit = asCommit(chosen);
    return commit
      ? continued(commit)
      : { missing: `CURTAIL_TEST_PREVIOUS is ${chosen}, which is no commit here` };
  }
  const head = git('rev-parse', 'HEAD');
  if (!head) return { missing: 'this is no clone of a git repository' };
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^');
  const forks = ['origin/main', 'main']
    .map((main) => git('merge-base', 'HEAD', main))
    .filter((fork) => fork !== head);
  for (const one of [tag, ...forks, 'HEAD^']) {
    const commit = one && asCommit(one);
    if (commit) return continued(commit);
  }
  return { missing: 'the clone has no commit before this one: git fetch --deepen=1, or --unshallow' };
}

/**
 * Builds the programs of a commit, with the dependencies and the page of this checkout, into a folder that is kept.
 *
 * @returns the folder: `dist` is in it.
 */
export async function buildRelease(commit: string): Promise<string> {
  const built = join(folder, commit);
  if (existsSync(join(built, 'dist'))) return built;
  const making = join(folder, `${commit}.${process.pid}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  const archive = join(making, '.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit]);
  await run('tar', ['-xf', archive, '-C', making]);
  await rm(archive);
  await symlink(resolve('node_modules'), join(making, 'node_modules'));
  // By its own script: how imports are resolved may have changed since.
  await run(process.execPath, [join(making, 'scripts/steps/compile.mjs')], { maxBuffer: 16 * 1024 * 1024 });
  // The console serves a page, and no test opens it.
  await cp('dist/apps/console/page', join(making, 'dist/apps/console/page'), { recursive: true });
  await rename(making, built);
  return built;
}

/** Databases of commits from before the first migration of today are refused. */
function continued({ commit }: { commit: string }): Previous {
  const names = git('ls-tree', '--name-only', commit, 'migrations/').split('\n');
  return names.some((name) => name.startsWith(`migrations/${firstMigration}-`))
    ? { commit }
    : { missing: `${commit.slice(0, 9)} is from before 0.1.0, and its databases are refused` };
}

function asCommit(revision: string): { commit: string } | undefined {
  const commit = git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`);
  return commit ? { commit } : undefined;
}

/** The output of git; empty if it fails. */
function git(...words: string[]): string {
  try {
    return execFileSync('git', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
