import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { assertBuilt, ownVariables } from './curtail-process.js';

const run = promisify(execFile);
/** What npm says where a package is neither in its cache nor to be had from the registry. */
const offline =
  /\b(ENOTCACHED|E(429|5\d\d)|ENOTFOUND|EAI_AGAIN|ECONN\w+|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b/;

/** The environment of a shell that no npm has started: npm tells its scripts about the package that they belong to. */
export function outsideNpm(): NodeJS.ProcessEnv {
  const ofScript = /^(npm_(package|lifecycle|command)|npm_config_(local|global)_prefix|INIT_CWD)/;
  return Object.fromEntries(Object.entries(ownVariables()).filter(([name]) => !ofScript.test(name)));
}

/** `npm pack` of this checkout. @returns the tarball and the paths of its files */
export async function packInto(folder: string): Promise<{ tarball: string; files: string[] }> {
  await assertBuilt();
  const words = ['pack', '--json', '--pack-destination', folder];
  const { stdout } = await run('npm', words, { env: outsideNpm(), maxBuffer: 64 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}

/**
 * Installs a tarball into an empty folder as a user does. The packages that it needs come from npm's cache or the registry; where neither has
 * them, those of this checkout are linked beside it, without the ones that only development needs.
 *
 * @returns which of the two it was
 */
export async function installInto(folder: string, tarball: string): Promise<'by npm' | 'by links'> {
  const words = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', tarball];
  try {
    await run('npm', words, { cwd: folder, env: outsideNpm() });
    return 'by npm';
  } catch (error) {
    if (!offline.test((error as { stderr?: string }).stderr ?? '')) throw error;
  }
  await linkInto(folder, tarball);
  return 'by links';
}

export async function linkInto(folder: string, tarball: string): Promise<void> {
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'curtail');
  await mkdir(own, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', own]);
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  for (const [path, { dev }] of Object.entries(packages)) {
    const isOnTop = path.startsWith('node_modules/') && path.lastIndexOf('node_modules/') === 0;
    if (!isOnTop || dev || !existsSync(path)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(resolve(path), join(folder, path));
  }
  await mkdir(join(modules, '.bin'));
  await chmod(join(own, 'bin/curtail.mjs'), 0o755);
  await symlink('../curtail/bin/curtail.mjs', join(modules, '.bin/curtail'));
}
