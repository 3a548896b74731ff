import { CommanderError } from 'commander';
import { CurtailError, InputError } from '#contracts/ground';
import { runnable } from './called.js';
import { printable } from './printable.js';
import type { Terminal } from './terminal.js';

/** A call that does not fit the command: commander has found what is wrong, and nothing was done. */
export class UsageError extends CommanderError {
  constructor(
    message: string,
    code: string,
    /** The next step. */
    readonly next: string,
  ) {
    super(2, code, message);
  }
}

/** Lines below the message of an error: the single problems, the next step, and the page that says more. */
export interface ErrorDetails {
  list?: readonly string[];
  next?: string;
  runbook?: string;
  /** Further members of the JSON form. */
  data?: object;
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

/** JSON where a call or its environment asks for it; what goes into a pipe without such a request stays for people. */
export const isJsonWanted = (output: string | undefined, env: Terminal['env']): boolean =>
  (output ?? env.CURTAIL_OUTPUT) === 'json';

/**
 * Writes an error to standard error: lines for people, or one line of JSON for programs that asked for it. docs/reference/cli.md
 *
 * @param hint makes the commands of hints work as they are.
 */
export function reportError(
  error: unknown,
  { stderr, env, call = 'curtail', jsonErrors }: Pick<Terminal, 'stderr' | 'env' | 'call' | 'jsonErrors'>,
  hint = (text: string) => runnable(text, call, undefined),
): void {
  const { list, next, data, ...more } = detailsOf(error);
  const stack = env.CURTAIL_DEBUG && error instanceof Error ? error.stack : undefined;
  if (jsonErrors) {
    const fault = {
      code: codeOf(error),
      message: hint(messageOf(error)),
      ...placeOf(error),
      ...data,
      ...more,
      ...(list && list.length > 0 && { list: list.map(hint) }),
      ...(next && { next: hint(next) }),
      ...(stack && { stack }),
    };
    stderr.write(`${JSON.stringify({ error: fault })}\n`);
    return;
  }
  const print = (line: string) => stderr.write(`${hint(line)}\n`);
  print(`error: ${sentence(error)}`);
  for (const line of list ?? []) print(`  ${printable(line)}`);
  if (next) print(`next: ${printable(next)}`);
  if (more.runbook) print(`runbook: ${printable(more.runbook)}`);
  if (stack) stderr.write(`${stack}\n`);
}

function detailsOf(error: unknown): ErrorDetails {
  if (error instanceof CommandError) return error.details;
  return error instanceof UsageError ? { next: error.next } : {};
}

/** The code of a fault, without what belongs to a library. */
function codeOf(error: unknown): string {
  if (error instanceof UsageError) return 'usage';
  if (error instanceof CurtailError) return error.code || 'command-failed';
  return 'unexpected';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function placeOf(error: unknown): { file?: string } & Partial<Omit<InputFault, 'message'>> {
  const file = error instanceof FileError ? error.file : undefined;
  const fault = error instanceof FileError ? error.fault : error instanceof InputError ? error : undefined;
  return {
    ...(file !== undefined && { file }),
    ...(fault?.path && { path: fault.path }),
    ...(fault?.line !== undefined && { line: fault.line }),
    ...(fault?.column !== undefined && { column: fault.column }),
  };
}

function sentence(error: unknown): string {
  if (error instanceof FileError) return located(error.file, error.fault);
  if (error instanceof InputError) return located(undefined, error);
  return printable(messageOf(error));
}
