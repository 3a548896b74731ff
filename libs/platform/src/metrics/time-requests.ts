import type { Request, RequestHandler } from 'express';
import type { Metrics } from './metrics.js';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures each request under the template of its route (`/v1/queues/:queue`), never under its address. */
export function timeRequests(metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    response.once('close', () => {
      const labels = {
        method: methods.has(request.method) ? request.method : 'other',
        route: routeOf(request),
        // The caller left before the answer began.
        status: response.headersSent ? response.statusCode : 499,
      };
      metrics.requests.answered(labels, (performance.now() - began) / 1000);
    });
    next();
  };
}

function routeOf(request: Request): string {
  const path: unknown = request.route?.path;
  return typeof path === 'string' ? path : 'unmatched';
}
