import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The top folder of the checkout; every step runs there. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program of node's (a path from `root`) with our output; resolves to its exit code. */
export function runNode(script, words, environment = {}) {
  return run(process.execPath, [script, ...words], environment);
}

export async function run(program, words, environment = {}) {
  const child = spawn(program, words, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...colours(), ...environment },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** A log file must not be full of escape codes, whatever the tools make of their environment. */
function colours() {
  return process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined };
}
