import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { requestIdOf } from '../http/request-id.js';
import { ProblemException } from './problem-exception.js';
import { problemOf, type WhyAway } from './problem-of.js';
import { sendProblem } from './send-problem.js';

/** The one place where errors become answers; details withheld from the caller are logged under the id of the request. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly log: Logger,
    private readonly whyAway?: WhyAway,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw error;
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const problem = problemOf(error, this.whyAway);
    const requestId = requestIdOf(response);
    // A 503 is deliberate (not ready); a 500 is a defect.
    if (problem.status >= 500) {
      const level = problem.status === 500 ? 'error' : 'warn';
      this.log[level]({ requestId, method: request.method, err: error }, problem.detail);
    }
    const headers = error instanceof ProblemException ? error.headers : {};
    sendProblem(request, response, { ...problem, ...(requestId ? { requestId } : {}) }, headers);
  }
}
