import type { ProblemAnswer } from '#api-client';
import { CommandError } from '../terminal/errors.js';

/** The server has answered and refused the request. */
export class ServerError extends CommandError {
  constructor(readonly problem: ProblemAnswer) {
    super(sentenceOf(problem), {
      list: listOf(problem),
      next: nextOf(problem),
      data: dataOf(problem),
      ...(problem.runbook !== undefined && { runbook: problem.runbook }),
    });
  }

  /** `configuration-refused`, or '' if the server names no type. */
  override get code(): string {
    return kindOf(this.problem.type);
  }
}

/** No answer: nothing listens there, or the connection broke. A retry may work. */
export class NoAnswerError extends CommandError {}

/** Whether the server, or a part of it such as its database, is down or still starting: it may answer soon. */
export const isAway = (error: unknown): error is CommandError =>
  error instanceof NoAnswerError || (error instanceof ServerError && error.problem.status === 503);

function sentenceOf(problem: ProblemAnswer): string {
  const { status, title, detail, errors = [] } = problem;
  const place = isWhole(problem) && errors[0]?.path ? `${errors[0].path}: ` : '';
  return `${place}${detail ?? title ?? `the server answers with status ${status}`}`;
}

function listOf(problem: ProblemAnswer): string[] {
  const { errors = [] } = problem;
  if (isWhole(problem)) return [];
  return errors.map(({ path, message, line, column }) =>
    [[line, column].filter((part) => part !== undefined).join(':'), path, message].filter(Boolean).join(': '),
  );
}

/** For programs: what the server says beside its sentences. */
function dataOf({ type, title, detail, remedy, ...rest }: ProblemAnswer): object {
  return rest;
}

/** The message already names the only problem of the input. */
function isWhole({ type, errors = [] }: ProblemAnswer): boolean {
  return errors.length === 1 && kindOf(type) === 'bad-input';
}

const kindOf = (type: string | undefined): string => type?.replace('urn:curtail:problem:', '') ?? '';

function nextOf({ status, remedy, requestId }: ProblemAnswer): string {
  if (status >= 300 && status < 400) return 'give the address of Curtail itself with --server';
  if (status === 401) return 'give the token of that Curtail with CURTAIL_TOKEN (or --token)';
  if (status >= 500 && requestId) return `${remedy ?? 'check the log of Curtail'} (request ${requestId})`;
  return remedy ?? '';
}
