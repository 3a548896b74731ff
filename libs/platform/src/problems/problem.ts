/** One thing that is wrong with an input; `path` is the field, lines and columns count from 1. */
export interface InputProblem {
  path: string;
  message: string;
  line?: number;
  column?: number;
}

/** A refusal or failure as HTTP tells it (RFC 9457), with the members that Curtail adds. */
export interface Problem {
  /** Names the kind of problem for programs: `urn:curtail:problem:<code>`. */
  type: string;
  title: string;
  status: number;
  /** The fault, for people. */
  detail: string;
  /** The next step, where there is one. */
  remedy?: string;
  /** All that is wrong with an input. */
  errors?: readonly InputProblem[];
  /** Under this id the log tells more. */
  requestId?: string;
  [extension: string]: unknown;
}

/** A problem before its code became a type. */
export interface ProblemSketch {
  code: string;
  title: string;
  status: number;
  detail: string;
  remedy?: string;
  errors?: readonly InputProblem[];
  [extension: string]: unknown;
}

/** Makes the problem of a short code such as `body-too-large`. */
export function problem({ code, title, status, detail, ...extensions }: ProblemSketch): Problem {
  return { type: `urn:curtail:problem:${code}`, title, status, detail, ...extensions };
}
