import { HttpException } from '@nestjs/common';
import { type Problem, type ProblemSketch, problem } from './problem.js';

/** Thrown where a request is refused on purpose; what it carries is sent as it is, so nothing internal goes in. */
export class ProblemException extends HttpException {
  readonly problem: Problem;
  /** Headers that belong to the answer, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(sketch: ProblemSketch, headers: Readonly<Record<string, string>> = {}) {
    super(sketch.detail, sketch.status);
    this.problem = problem(sketch);
    this.headers = headers;
  }
}
