import { STATUS_CODES } from 'node:http';
import { HttpException, NotFoundException } from '@nestjs/common';
import { InputError } from '#contracts';
import { type DatabaseRefusal, databaseAway, databaseRefusal } from '../postgres/database-errors.js';
import { type InputProblem, type Problem, ProblemException, problem } from './problem.js';
import { RefusedInput } from './refused-input.js';

/** What keeps the database of this process from running, as far as it is known; undefined while it runs. */
export type WhyAway = () => DatabaseRefusal | undefined;

/**
 * The answer to a request that failed. Unknown errors become 500 without details.
 *
 * @param whyAway asked about a database that cannot be reached: connections that are lost do not say why.
 */
export function problemOf(error: unknown, whyAway: WhyAway = () => undefined): Problem {
  if (error instanceof ProblemException) return error.problem;
  if (error instanceof InputError) return badInput(error.message, [inputProblem(error)]);
  if (error instanceof RefusedInput) return badInput(error.message, error.errors, error.remedy);
  if (isYamlError(error)) return badYaml(error);
  if (error instanceof NotFoundException && error.message.startsWith('Cannot ')) return unknownRoute(error);
  if (error instanceof HttpException && error.getStatus() !== 500)
    return ofStatus(error.getStatus(), error.message);
  if (isExposed(error)) return ofStatus(error.status, error.message);
  if (typeof error !== 'object' || error === null) return internal();
  if (isTimedOut(error)) return tookTooLong();
  const isAway = databaseAway(error);
  const refusal = databaseRefusal(error) ?? (isAway ? whyAway() : undefined);
  if (refusal) return databaseRefuses(refusal);
  return isAway ? databaseIsAway() : internal();
}

function badInput(detail: string, errors: readonly InputProblem[], remedy?: string): Problem {
  const { message: _, ...place } = errors[0] ?? { message: '' };
  return problem({
    code: 'bad-input',
    title: 'The input cannot be used',
    status: 400,
    detail,
    ...(remedy === undefined ? {} : { remedy }),
    // The place of the first error is also at the top level, for simple clients.
    ...place,
    errors,
  });
}

function inputProblem({ path, message, line, column }: InputError): InputProblem {
  return {
    path,
    message,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

interface YamlError extends Error {
  linePos?: readonly { line: number; col: number }[];
}
function isYamlError(error: unknown): error is YamlError {
  return error instanceof Error && error.name === 'YAMLParseError';
}
function badYaml(error: YamlError): Problem {
  const at = error.linePos?.[0];
  // The library adds the surrounding lines; the first line is enough.
  const message = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
  return badInput(`This is not YAML: ${message}`, [
    { path: '', message, ...(at ? { line: at.line, column: at.col } : {}) },
  ]);
}

/** Nest names the missing route in its message. */
function unknownRoute(error: NotFoundException): Problem {
  const asked = error.message.slice('Cannot '.length);
  return problem({
    code: 'unknown-route',
    title: 'Not found',
    status: 404,
    detail: `The API has no ${asked.length <= 200 ? asked : `${asked.slice(0, 199)}…`}`,
    remedy: 'See /docs for the API.',
  });
}

function isExposed(error: unknown): error is Error & { status: number } {
  const { status, expose } = (error ?? {}) as { status?: unknown; expose?: unknown };
  return (
    error instanceof Error && expose === true && typeof status === 'number' && status >= 400 && status < 500
  );
}

function ofStatus(status: number, detail: string): Problem {
  const title = STATUS_CODES[status] ?? 'Refused';
  return problem({ code: title.toLowerCase().replace(/[^a-z]+/g, '-'), title, status, detail });
}

function databaseRefuses({ code, title, reason, remedy }: DatabaseRefusal): Problem {
  const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}`;
  return problem({
    code,
    title,
    status: 503,
    detail: `${sentence(reason)}. The request takes effect completely or not at all.`,
    remedy: `${sentence(remedy)}.`,
  });
}

function databaseIsAway(): Problem {
  return problem({
    code: 'database-away',
    title: 'The database is unavailable',
    status: 503,
    detail:
      'The database cannot be reached or is too busy; the request takes effect completely or not at all.',
    remedy: 'Retry in a moment; /readyz reports when the database is back.',
  });
}

/** The database cancelled a statement that took too long (57014), or waited for too long for a lock (55P03). */
function isTimedOut(error: object): boolean {
  const { driverError } = error as { driverError?: { code?: unknown } };
  return driverError?.code === '57014' || driverError?.code === '55P03';
}

function tookTooLong(): Problem {
  return problem({
    code: 'took-too-long',
    title: 'The database took too long',
    status: 504,
    detail: 'A statement reached its limit and was cancelled; the request had no effect.',
    remedy: 'Ask for less (a queue, since, a smaller limit) or again when the database has less to do.',
  });
}

function internal(): Problem {
  return problem({
    code: 'internal',
    title: 'Curtail failed',
    status: 500,
    detail:
      'Something went wrong inside Curtail; the request may have been carried out in part or not at all.',
    remedy: 'Find the entries with this request id in the log of Curtail, and report them.',
  });
}
