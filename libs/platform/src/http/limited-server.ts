import { createServer, type RequestListener, type Server } from 'node:http';
import type { GeneralSettings } from '../settings/service-settings.js';
import { answerClientError } from './client-errors.js';
import { limitConnections } from './connection-limit.js';

export type ServerLimits = Pick<
  GeneralSettings,
  'headerLimitBytes' | 'requestTimeoutSeconds' | 'connectionLimit'
>;

/** A server with limits of its own, some of which Node accepts only when the server is created. */
export function limitedServer(limits: ServerLimits, listener: RequestListener): Server {
  const requestTimeout = limits.requestTimeoutSeconds * 1000;
  const server: Server = createServer(
    {
      maxHeaderSize: limits.headerLimitBytes,
      headersTimeout: Math.min(requestTimeout, 15_000),
      requestTimeout,
      keepAliveTimeout: 10_000,
      connectionsCheckingInterval: 5000,
    },
    listener,
  );
  // Node drops headers above its own maximum silently, possibly including the Host header; headers are counted where
  // too many can be refused, and until then their size limits them.
  server.maxHeadersCount = 0;
  server.on('clientError', answerClientError);
  // Without this Node requests the body before the request is checked.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  limitConnections(server, limits.connectionLimit);
  closeAnsweredConnections(server);
  return server;
}

/** A closing server waits for its connections; each of them ends with its current answer. */
function closeAnsweredConnections(server: Server): void {
  server.on('request', (_request, response) => {
    response.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
}
