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

/** The server has answered, and refused. */
export class ServerError extends CommandError {
  constructor(readonly problem: ServerProblem) {
    super(sentenceOf(problem), { list: listOf(problem), next: nextOf(problem) });
  }

  /** `configuration-refused`, or '' where the server names no kind. */
  override get code(): string {
    return this.problem.type?.replace('urn:curtail:problem:', '') ?? '';
  }
}

/** No answer came: nothing listens there, or the connection broke. A retry may work. */
export class NoAnswerError extends CommandError {}

function sentenceOf({ status, title, detail, errors = [] }: ServerProblem): string {
  const [only] = errors;
  const place = errors.length === 1 && only?.path && !detail?.startsWith(only.path) ? `${only.path}: ` : '';
  return `${place}${detail ?? title ?? `the server answers with status ${status}`}`;
}

/** A single thing that is wrong stands in the sentence already. */
function listOf({ detail, errors = [] }: ServerProblem): string[] {
  const [only] = errors;
  if (errors.length === 1 && only?.message !== undefined && detail?.includes(only.message)) return [];
  return errors.map(({ path, message, line, column }) =>
    [[line, column].filter((part) => part !== undefined).join(':'), path, message].filter(Boolean).join(': '),
  );
}

function nextOf({ status, remedy, requestId }: ServerProblem): string {
  if (status === 401) return 'give the token of that Curtail with CURTAIL_TOKEN (or --token)';
  if (status >= 500 && requestId) return `${remedy ?? 'check the log of Curtail'} (request ${requestId})`;
  return remedy ?? '';
}
