import type { Readable, Writable } from 'node:stream';

/** Where a command reads and writes: the process, or a test. Results go to `stdout`, messages to `stderr`. */
export interface Terminal {
  stdin: Readable;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** What a command begins with that works as this one did; `curtail` by default. */
  call?: string;
  /** From this call on Ctrl-C is an orderly end for the command to come to; before it, it ends the process. */
  untilInterrupted?: () => AbortSignal;
}

export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** Exit statuses: done; a preview that would evict, or something that needs a person; bad input or a failure. docs/reference/cli.md */
export const exitStatus = { done: 0, wouldEvict: 1, needsPerson: 1, failed: 2 } as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];
