import { spawn } from 'node:child_process';

const keptLines = 20;

/**
 * Runs a program and hands its output over line by line. Resolves to its exit code and last lines, also when it cannot be run. It ends
 * with this process.
 */
export async function runQuietly(
  program: string,
  words: string[],
  { env = {}, onLine = () => {} }: { env?: Record<string, string>; onLine?: (line: string) => void } = {},
): Promise<{ code: number; tail: string }> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const end = () => child.kill();
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
  const tail: string[] = [];
  const take = (line: string) => {
    if (!line.trim()) return;
    tail.push(line);
    if (tail.length > keptLines) tail.shift();
    onLine(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
    stream.on('end', () => take(rest));
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, tail: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, tail: tail.join('\n') }));
  });
}
