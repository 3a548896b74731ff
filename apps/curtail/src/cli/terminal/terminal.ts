import type { Readable, Writable } from 'node:stream';

/** The streams of a command: those of the process, or of a test. Results go to `stdout`, messages to `stderr`. */
export interface Terminal {
  stdin: Readable;
  stdout: Output;
  stderr: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** The words that begin a command called as this one; `curtail` by default. */
  call?: string;
  /** Errors are one line of JSON each, as this call asked for. */
  jsonErrors?: boolean;
  /** A text, with the files of `examples` that it names as they are found from here. By default as they are named. */
  examplesIn?: (text: string) => string;
  /** From this call on, Ctrl-C asks the command to end in order; before it, Ctrl-C ends the process. */
  untilInterrupted?: () => AbortSignal;
  /** The interval at which `--watch` reads again. Default: a second, which suffices for a countdown. */
  readsEveryMs?: number;
}

export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** Exit statuses: success; a preview that would evict, or a finding that needs attention, or a wait that ran out of time; bad input or a failure. docs/reference/cli.md */
export const exitStatus = { done: 0, wouldEvict: 1, needsAttention: 1, failed: 2 } as const;
export type ExitStatus = (typeof exitStatus)[keyof typeof exitStatus];
