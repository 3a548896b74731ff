import { CurtailError, withRunbook } from '#contracts';

/** One error of an input; `path` is the field, lines and columns count from 1. */
export interface InputProblem {
  path: string;
  message: string;
  line?: number;
  column?: number;
}

/** A refusal or failure in the form of RFC 9457, with the members that Curtail adds. */
export interface Problem {
  /** Names the kind of problem for programs: `urn:curtail:problem:<code>`. */
  type: string;
  title: string;
  status: number;
  /** The error, for people. */
  detail: string;
  /** The remedy, if there is one. */
  remedy?: string;
  /** The page of docs/runbooks for what is wrong, if there is one. */
  runbook?: string;
  /** All errors of an input. */
  errors?: readonly InputProblem[];
  /** The id of the request, under which the log has details. */
  requestId?: string;
  [extension: string]: unknown;
}

/** A problem before its code is converted to a type. */
export interface ProblemSketch {
  code: string;
  title: string;
  status: number;
  detail: string;
  remedy?: string;
  errors?: readonly InputProblem[];
  [extension: string]: unknown;
}

/** Creates the problem for a short code such as `body-too-large`, with the runbook for it. */
export function problem({ code, title, status, detail, ...extensions }: ProblemSketch): Problem {
  return { type: `urn:curtail:problem:${code}`, title, status, detail, ...withRunbook(code), ...extensions };
}

/** Thrown to refuse a request; its content is sent unchanged, so it must contain nothing internal. */
export class ProblemException extends CurtailError {
  readonly code: string;
  readonly problem: Problem;
  /** Headers that belong to the answer, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(sketch: ProblemSketch, headers: Readonly<Record<string, string>> = {}) {
    super(sketch.detail);
    this.code = sketch.code;
    this.problem = problem(sketch);
    this.headers = headers;
  }
}

/** 404 for something that a request names and that is not on record; `detail` is a sentence for people. */
export function notFound(detail: string, remedy?: string): ProblemException {
  return new ProblemException({
    code: 'not-found',
    title: 'Not found',
    status: 404,
    detail,
    ...(remedy !== undefined && { remedy }),
  });
}
