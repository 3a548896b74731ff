import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const needed = ['initdb', 'postgres', 'pg_dump', 'pg_restore'];

/**
 * A folder with the server and the client programs of one PostgreSQL version, 15 or newer: `CURTAIL_PG_BIN`, else one on the PATH,
 * else a package of the system. The PostgreSQL of npm has no client programs. Undefined if there is none.
 */
export function completePostgres(): string | undefined {
  const chosen = process.env.CURTAIL_PG_BIN;
  const folders = chosen ? [chosen] : [...(process.env.PATH ?? '').split(delimiter), ...packaged()];
  return folders.filter(Boolean).find(isComplete);
}

function packaged(): string[] {
  const home = '/usr/lib/postgresql';
  const majors = existsSync(home) ? readdirSync(home).map(Number).filter(Number.isInteger) : [];
  return majors.sort((a, b) => b - a).map((major) => join(home, String(major), 'bin'));
}

function isComplete(folder: string): boolean {
  if (!needed.every((name) => existsSync(join(folder, name)))) return false;
  const majors = new Set(needed.map((name) => majorOf(join(folder, name))));
  return majors.size === 1 && [...majors].every((major) => major >= 15);
}

function majorOf(program: string): number {
  try {
    return Number(/(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8', cwd: '/' }))?.[1]);
  } catch {
    return Number.NaN;
  }
}
