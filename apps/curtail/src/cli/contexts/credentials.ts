import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { CommandError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Credentials } from './config-content.js';
import { fileModeOf, resolvedPath, statOf } from './config-file.js';
import { readLogin } from './login.js';

const mostBytes = 64 * 1024;
const answerMs = 30_000;

/**
 * The token that credentials refer to. No message contains it.
 *
 * @param file the configuration that names them.
 * @throws CommandError if it cannot be read, or other users can read it.
 */
export function tokenOf({ tokenFile, exec, login }: Credentials, file: string, env: Terminal['env']): string {
  if (tokenFile !== undefined) return tokenInFile(resolvedPath(tokenFile, file, env));
  if (login !== undefined) return readLogin(resolvedPath(login, file, env)).token;
  return tokenPrinted(exec!, env);
}

function tokenInFile(path: string): string {
  const found = statOf(path);
  if (found === undefined) throw new CommandError(`the token file ${path} of the context is missing`);
  if ((found.mode & 0o077) !== 0)
    throw new CommandError(`the token file ${path} can be read by other users (mode ${fileModeOf(found)})`, {
      next: `chmod 600 ${path}`,
    });
  if (found.size > mostBytes)
    throw new CommandError(`the token file ${path} has more than ${mostBytes} bytes`);
  return given(readFileSync(path, 'utf8'), `the token file ${path}`);
}

function tokenPrinted([program, ...words]: string[], env: Terminal['env']): string {
  const name = `the command ${JSON.stringify(program)} of the credentials`;
  const { status, stdout, error } = spawnSync(program!, words, {
    env: env as NodeJS.ProcessEnv,
    encoding: 'utf8',
    timeout: answerMs,
    maxBuffer: mostBytes,
    // Its questions and errors are for the person at the terminal.
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ETIMEDOUT') throw new CommandError(`${name} took more than ${answerMs / 1000} s`);
  if (error !== undefined) throw new CommandError(`${name} could not run (${code ?? 'unknown reason'})`);
  if (status !== 0) throw new CommandError(`${name} ended with status ${status}`);
  return given(stdout, name);
}

function given(text: string, what: string): string {
  const token = text.trim();
  if (token === '') throw new CommandError(`${what} has no token`);
  return token;
}
