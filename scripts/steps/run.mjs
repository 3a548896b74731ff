import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** The top folder of the checkout; every step runs there. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a program of node's (a path from `root`) with our output, or another `output`; resolves to its exit code. */
export function runNode(script, words, environment = {}, output = process) {
  return run(process.execPath, [script, ...words], environment, output);
}

export async function run(program, words, environment = {}, output = process) {
  const plain = output !== process || !process.stdout.isTTY;
  const child = spawn(program, words, {
    cwd: root,
    stdio: plain ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...(plain && { NO_COLOR: '1', FORCE_COLOR: undefined }), ...environment },
  });
  if (plain) {
    passOn(child.stdout, output.stdout);
    passOn(child.stderr, output.stderr);
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** A log file must not be full of colours; not all tools ask whether they write to one. */
function passOn(from, to) {
  createInterface({ input: from }).on('line', (line) => to.write(`${stripVTControlCharacters(line)}\n`));
}
