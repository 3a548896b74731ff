import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from '@jest/globals';
import { InfraError, pythonEnvironment } from '../../scripts/infra/index.js';

const run = promisify(execFile);

/** A program that is there, or why it is not. */
export type Found = { command: string; folder: string } | { missing: string };

/**
 * The programs of a Python environment (`pythonEnvironment`). No one needs Python to work on this project: where it cannot be had, the
 * reason is given.
 */
export async function pythonWith(requirements: string): Promise<Found> {
  try {
    const folder = await pythonEnvironment(requirements);
    return { command: join(folder, 'python'), folder };
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    return { missing: firstLine(error.message) };
  }
}

/** The test of programs whose tools are there; otherwise one that is counted as skipped, and states why. */
export const runsWith = (name: string, missing: string | undefined) =>
  missing === undefined
    ? { run: it, name }
    : { run: it.skip as unknown as typeof it, name: `${name} (not run: ${missing})` };

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

/** Runs a program to its end, in a folder; what it wrote, line by line. */
export async function outputOf(
  command: string,
  words: string[],
  environment: Record<string, string>,
  folder?: string,
): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(command, words, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(folder !== undefined && { cwd: folder }),
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
