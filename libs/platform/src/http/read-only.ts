import type { Request, RequestHandler } from 'express';
import { ProblemException } from '../problems/problem.js';
import { isReading } from './origin-check.js';

/** These only compute. They have bodies, so their method is POST. */
const computing = /^\/v1\/(what-if|plans\/preview)\/?$/i;

/** With `dryRun` it shows what a configuration would do. */
const trying = /^\/v1\/partitions\/[^/]+\/config\/?$/i;

/** Whether a request changes nothing, whatever its body. The query is as the route gets it. */
export const changesNothing = ({
  method,
  path,
  query,
}: Pick<Request, 'method' | 'path' | 'query'>): boolean =>
  isReading(method) ||
  (method === 'POST' && computing.test(path)) ||
  (method === 'PUT' && trying.test(path) && query.dryRun === 'true');

/** Refuses every request that may change something: a read-only Curtail shows and computes, and takes no commands. */
export function refuseChanges(): RequestHandler {
  return (request, _response, next) => next(changesNothing(request) ? undefined : readOnly());
}

const readOnly = () =>
  new ProblemException({
    code: 'read-only',
    title: 'This Curtail is read-only',
    status: 403,
    detail: 'CURTAIL_READ_ONLY is set: it shows everything and takes no commands.',
    remedy: 'Send the command to a console without CURTAIL_READ_ONLY.',
  });
