import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { inItsTurn } from '../http/reading-turns.js';
import { requestIdOf } from '../http/request-id.js';
import { type Problem, ProblemException } from './problem.js';
import { problemOf, type WhyAway } from './problem-of.js';

/** The amount and duration of a refused body that is still accepted, so that its sender can read the answer. */
const lingerBytes = 64 * 1024 * 1024;
const lingerMs = 2000;

/** Answers with `application/problem+json`. A body that is still arriving is discarded, and ends the connection. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: Problem,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const body = JSON.stringify(problem);
  response.statusCode = problem.status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Content-Type', 'application/problem+json');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.setHeader('Cache-Control', 'no-store');
  if (request.complete || !announcesBody(request)) {
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  response.setHeader('Connection', 'close');
  response.write(body);
  discardRest(request, () => response.end());
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Closing a connection with unread bytes resets it, and the answer is lost. So the complete answer is written first,
 * and the rest of the body is discarded until it ends or exceeds its limit: a piece of it in each turn of its connection, so that
 * other callers do not wait while many long bodies are discarded.
 */
function discardRest(request: IncomingMessage, done: () => void): void {
  let seenBytes = 0;
  let isOver = false;
  const timer = setTimeout(finish, lingerMs);
  timer.unref();
  function finish(): void {
    isOver = true;
    clearTimeout(timer);
    // What is left stays unread until the connection is closed.
    request.pause();
    request.off('data', count).off('end', finish).off('close', finish);
    done();
  }
  function count(chunk: Buffer): void {
    seenBytes += chunk.length;
    if (seenBytes > lingerBytes) {
      finish();
      return;
    }
    request.pause();
    inItsTurn(request.socket, () => {
      if (!isOver) request.resume();
    });
  }
  request.on('data', count).once('end', finish).once('close', finish).resume();
}

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
