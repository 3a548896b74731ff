import { spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { InfraError } from '../infra-error.js';

const logLimitBytes = 20_000_000;
const tailLines = 20;

export interface Launched {
  pid: number;
  /** Resolves when the process has ended. */
  ended: Promise<unknown>;
}

/**
 * Starts a program in a session of its own, so that Ctrl-C reaches it through its owner, and with its output in a file,
 * for it may outlive us. Of our environment it sees next to nothing: variables of the user's must not change what it does.
 */
export async function launch(
  program: string,
  words: string[],
  { cwd, log }: { cwd: string; log: string },
): Promise<Launched> {
  if (((await stat(log).catch(() => undefined))?.size ?? 0) > logLimitBytes) await rename(log, `${log}.1`);
  const file = await open(log, 'a', 0o600);
  try {
    const child = spawn(program, words, {
      cwd,
      detached: true,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', file.fd, file.fd],
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(new InfraError(`${program} cannot be run: ${error.message}`, 'Run `npm run infra -- setup`.')),
      );
    });
    child.unref();
    return { pid: child.pid as number, ended };
  } finally {
    await file.close();
  }
}

/** The last output of the server. */
export async function tailOf(log: string): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-tailLines).join('\n');
}
