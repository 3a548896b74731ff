import { PassThrough, Readable } from 'node:stream';
import { runCommandLine } from '../src/cli/run.js';
import type { ExitStatus, Output } from '../src/cli/terminal/terminal.js';

/** The result of a call of `curtail`. */
export interface Called {
  status: ExitStatus;
  stdout: string;
  stderr: string;
}

export interface Circumstances {
  stdin?: string;
  /** A terminal with this many columns; absent = a pipe. */
  columns?: number;
  env?: Record<string, string>;
  /** How it was called, for tests of hints. */
  call?: string;
  /** Stands for Ctrl-C. */
  interrupted?: AbortSignal;
  /** Called with all of standard output so far. */
  onOutput?: (stdout: string) => void;
  /** Called with all of standard error so far. */
  onError?: (stderr: string) => void;
}

/** Runs the command line in this process, with streams that record. */
export async function curtail(
  argv: string[],
  { stdin = '', columns, env = {}, call, interrupted, onOutput, onError }: Circumstances = {},
): Promise<Called> {
  const [stdout, stderr] = [remembering(columns, onOutput), remembering(columns, onError)];
  const status = await runCommandLine(argv, {
    stdin: Readable.from([stdin]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env,
    readsEveryMs: 10,
    ...(call === undefined ? {} : { call }),
    ...(interrupted === undefined ? {} : { untilInterrupted: () => interrupted }),
  });
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

/** A terminal with this many columns, or a pipe without. */
function remembering(
  columns: number | undefined,
  onOutput?: (text: string) => void,
): { stream: Output; text: () => string } {
  const stream: PassThrough & { isTTY?: boolean; columns?: number } = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    onOutput?.(Buffer.concat(chunks).toString());
  });
  if (columns !== undefined) {
    stream.isTTY = true;
    stream.columns = columns;
  }
  return { stream, text: () => Buffer.concat([...chunks, stream.read() ?? Buffer.of()]).toString() };
}
