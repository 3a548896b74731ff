import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const minute = 60_000;

/** A program that is there, or why it is not. */
export type Found = { command: string } | { missing: string };

/**
 * A Python with what a requirements file asks for, in an environment of its own that later runs find again. No one needs Python
 * to work on this project: where it cannot be had, the reason is given.
 */
export async function pythonWith(requirements: string): Promise<Found> {
  const wanted = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 12);
  const folder = join(tmpdir(), `curtail-python-${wanted}`);
  const command = join(folder, 'bin/python');
  const done = join(folder, 'complete');
  if (existsSync(done)) return { command };
  try {
    await run('python3', ['-m', 'venv', folder], { timeout: minute });
    await run(command, ['-m', 'pip', 'install', '--quiet', '-r', requirements], { timeout: 3 * minute });
    await run(command, ['-c', `open(${JSON.stringify(done)}, 'w').close()`]);
    return { command };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    return { missing: firstLine((error as Error).message) };
  }
}

/** @returns the first of the programs that is not there. */
export async function missingOf(...programs: string[]): Promise<string | undefined> {
  for (const program of programs) {
    try {
      await run('sh', ['-c', `command -v ${program}`]);
    } catch {
      return program;
    }
  }
  return undefined;
}

/** Runs a program to its end; what it wrote, line by line. */
export async function outputOf(
  command: string,
  words: string[],
  environment: Record<string, string>,
): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(command, words, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, lines: output.trim().split('\n') };
}

const firstLine = (text: string) => text.split('\n')[0] ?? text;
