import { CommandError } from '../errors.js';

/** A problem as a server sends it (RFC 9457); any other answer is turned into one. */
export interface ServerProblem {
  type?: string;
  title?: string;
  status: number;
  detail?: string;
  remedy?: string;
  errors?: { path?: string; message?: string; line?: number; column?: number }[];
  requestId?: string;
}

/** The server has answered and refused the request. */
export class ServerError extends CommandError {
  constructor(readonly problem: ServerProblem) {
    super(sentenceOf(problem), { list: listOf(problem), next: nextOf(problem) });
  }

  /** `configuration-refused`, or '' if the server names no type. */
  override get code(): string {
    return kindOf(this.problem.type);
  }
}

/** No answer: nothing listens there, or the connection broke. A retry may work. */
export class NoAnswerError extends CommandError {}

function sentenceOf(problem: ServerProblem): string {
  const { status, title, detail, errors = [] } = problem;
  const place = isWhole(problem) && errors[0]?.path ? `${errors[0].path}: ` : '';
  return `${place}${detail ?? title ?? `the server answers with status ${status}`}`;
}

function listOf(problem: ServerProblem): string[] {
  const { errors = [] } = problem;
  if (isWhole(problem)) return [];
  return errors.map(({ path, message, line, column }) =>
    [[line, column].filter((part) => part !== undefined).join(':'), path, message].filter(Boolean).join(': '),
  );
}

/** The message already names the only problem of the input. */
function isWhole({ type, errors = [] }: ServerProblem): boolean {
  return errors.length === 1 && kindOf(type) === 'bad-input';
}

const kindOf = (type: string | undefined): string => type?.replace('urn:curtail:problem:', '') ?? '';

function nextOf({ status, remedy, requestId }: ServerProblem): string {
  if (status === 401) return 'give the token of that Curtail with CURTAIL_TOKEN (or --token)';
  if (status >= 500 && requestId) return `${remedy ?? 'check the log of Curtail'} (request ${requestId})`;
  return remedy ?? '';
}
