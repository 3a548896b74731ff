import { PassThrough, Readable } from 'node:stream';
import { run } from './run.js';
import type { ExitStatus, Output } from './terminal.js';

/** What a call of `curtail` came to. */
export interface Called {
  status: ExitStatus;
  stdout: string;
  stderr: string;
}

/** Calls the command line in this process, with streams that remember. */
export async function curtail(
  argv: string[],
  { stdin = '', columns, env = {} }: { stdin?: string; columns?: number; env?: Record<string, string> } = {},
): Promise<Called> {
  const [stdout, stderr] = [remembering(columns), remembering(columns)];
  const status = await run(argv, {
    stdin: Readable.from([stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env,
  });
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

/** A terminal of that many columns, or, without, a pipe. */
function remembering(columns: number | undefined): { stream: Output; text: () => string } {
  const stream: PassThrough & { isTTY?: boolean; columns?: number } = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (columns !== undefined) {
    stream.isTTY = true;
    stream.columns = columns;
  }
  return { stream, text: () => Buffer.concat([...chunks, stream.read() ?? Buffer.of()]).toString() };
}
