import { createServer, type Server } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { ServiceSettings } from '../settings/service-settings.js';
import { answerClientError } from './client-errors.js';
import { assertListenAddress } from './listen-address.js';

export type AdapterSettings = Pick<
  ServiceSettings,
  'host' | 'token' | 'headerLimitBytes' | 'requestTimeoutSeconds'
>;

/**
 * Express on a server with limits of its own, some of which Node takes only when the server is made. Whatever way an
 * app calls `listen`, it listens on the host of the settings, and only if the loopback rule lets it.
 */
export class LimitedHttpAdapter extends ExpressAdapter {
  constructor(private readonly settings: AdapterSettings) {
    super();
    this.getInstance().disable('x-powered-by');
  }

  override initHttpServer(): void {
    const requestTimeout = this.settings.requestTimeoutSeconds * 1000;
    const server: Server = createServer(
      {
        maxHeaderSize: this.settings.headerLimitBytes,
        headersTimeout: Math.min(requestTimeout, 15_000),
        requestTimeout,
        keepAliveTimeout: 10_000,
        connectionsCheckingInterval: 5000,
      },
      this.getInstance(),
    );
    // Node drops what is above its own count without a word, the Host header maybe among it; headers are counted where
    // too many can be refused, and until then their size bounds them.
    server.maxHeadersCount = 0;
    server.on('clientError', answerClientError);
    // Without this Node grants the body before anyone looked at the request.
    server.on('checkContinue', (request, response) => server.emit('request', request, response));
    closeAnsweredConnections(server);
    this.httpServer = server;
  }

  override listen(port: string | number, ...rest: unknown[]) {
    const { host, token } = this.settings;
    assertListenAddress(host, token);
    const callback = rest.find((value) => typeof value === 'function') as (() => void) | undefined;
    return this.httpServer.listen(Number(port), host.replace(/^\[(.*)\]$/, '$1'), callback);
  }
}

/** A server that is closing waits for its connections; each of them ends with the answer that is on it. */
function closeAnsweredConnections(server: Server): void {
  server.on('request', (_request, response) => {
    response.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });
}
