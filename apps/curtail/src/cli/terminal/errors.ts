import { CurtailError, InputError } from '@curtail/contracts';
import { runnable } from './called.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

/** Lines below the message of an error: the single problems, the next step, and the page that says more. */
export interface ErrorDetails {
  list?: readonly string[];
  next?: string;
  runbook?: string;
}

/** An error that a person can act on: `message` names the problem and the remedy. */
export class CommandError extends CurtailError {
  constructor(
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }

  get code(): string {
    return 'command-failed';
  }
}

/** Bad input together with the file that it came from. */
export class FileError extends CurtailError {
  readonly code = 'file-unusable';

  constructor(
    readonly file: string,
    readonly fault: InputError,
  ) {
    super(fault.message);
  }
}

/** The error as bad input, if it is: formatting a deeply nested value overflows the stack. */
export function asInputError(error: unknown): InputError | undefined {
  if (error instanceof InputError) return error;
  // A message of V8, which gives this error no code.
  const tooDeep = error instanceof RangeError && error.message.includes('call stack');
  return tooDeep ? new InputError('', 'values are nested too deeply; use fewer levels') : undefined;
}

/** The text of an `InputError`. */
export type InputFault = Pick<InputError, 'path' | 'message' | 'line' | 'column'>;

/** `case.json:12:5: snapshot.queues[0].path: the problem and the remedy` */
export function located(file: string | undefined, fault: InputFault): string {
  const place = [file, fault.line, fault.column].filter((part) => part !== undefined).join(':');
  return printable([place, fault.path, fault.message].filter((part) => part !== '').join(': '));
}

/** @param hint makes the commands of hints work as they are. */
export function reportError(
  error: unknown,
  { stderr, env, call = 'curtail' }: Pick<Terminal, 'stderr' | 'env' | 'call'>,
  hint = (text: string) => runnable(text, call, undefined),
): void {
  const print = (line: string) => stderr.write(`${hint(line)}\n`);
  print(`error: ${sentence(error)}`);
  if (error instanceof CommandError) {
    for (const line of error.details.list ?? []) print(`  ${printable(line)}`);
    if (error.details.next) print(`next: ${printable(error.details.next)}`);
    if (error.details.runbook) print(`runbook: ${printable(error.details.runbook)}`);
  }
  if (env.CURTAIL_DEBUG && error instanceof Error) stderr.write(`${error.stack}\n`);
}

function sentence(error: unknown): string {
  if (error instanceof FileError) return located(error.file, error.fault);
  if (error instanceof InputError) return located(undefined, error);
  return printable(error instanceof Error ? error.message : String(error));
}
