import { CurtailError } from '#contracts';
import { type Problem, type ProblemSketch, problem } from './problem.js';

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
