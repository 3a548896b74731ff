import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { problem } from '../problems/problem.js';
import type { GeneralSettings } from '../settings/service-settings.js';
import { isOperating, knownOf } from './caller.js';
import { assertListenAddress, type ListenSettings } from './listen-address.js';
import { bareHost } from './loopback.js';
import { readAtOnceFrom, readInTurns } from './reading-turns.js';
import { type TlsContent, tlsOptions } from './tls.js';

type ServerLimits = Pick<GeneralSettings, 'headerLimitBytes' | 'requestTimeoutSeconds' | 'connectionLimit'>;

/** A server with limits of its own, some of which Node accepts only when the server is created. */
/** @param tls absent: plain HTTP. */
export function limitedServer(limits: ServerLimits, listener: RequestListener, tls?: TlsContent): Server {
  const requestTimeout = limits.requestTimeoutSeconds * 1000;
  const headersTimeout = Math.min(requestTimeout, 15_000);
  const options = {
    maxHeaderSize: limits.headerLimitBytes,
    headersTimeout,
    requestTimeout,
    keepAliveTimeout: 10_000,
    connectionsCheckingInterval: 5000,
  };
  const server: Server =
    tls === undefined
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...tlsOptions(tls), handshakeTimeout: headersTimeout }, listener);
  // Node drops headers above its own maximum silently, possibly including the Host header; headers are counted where
  // too many can be refused, and until then their size limits them.
  server.maxHeadersCount = 0;
  server.on('clientError', answerClientError);
  // Without this Node requests the body before the request is checked.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  readInTurns(server);
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

/** Errors of Node before there is a request: its code, and the status and message of the answer. */
const refusals: Record<string, [status: number, code: string, detail: string, remedy: string]> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'headers-too-large',
    'The headers of the request are too large.',
    'Send smaller headers.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'request-timeout',
    'The request did not arrive completely in time.',
    'Send it again, faster.',
  ],
};
const malformed: [number, string, string, string] = [
  400,
  'malformed-request',
  'The request is not valid HTTP.',
  'Send it with an ordinary HTTP client.',
];

/** Answers a connection without a readable request; a listener of `clientError`. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, code, detail, remedy] = refusals[error.code ?? ''] ?? malformed;
  const title = STATUS_CODES[status]!;
  const body = JSON.stringify(problem({ code, title, status, detail, remedy }));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Under TLS a request has another socket than its connection: they have the address of the caller in common. */
const callerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
const waitingOf = new WeakMap<object, Map<string, Socket>>();

/**
 * Limits the connections without an accepted request: above the limit, the oldest one is closed. Connections that send
 * nothing, or nothing acceptable, therefore use up neither the file descriptors of the process nor the place of an
 * operator's connection, which is new and sends its request at once.
 */
function limitConnections(server: Server, most: number): void {
  /** In the order in which they were opened. */
  const waiting = new Map<string, Socket>();
  server.on('secureConnection', (socket: Socket) => waitingOf.set(socket, waiting));
  server.on('connection', (socket) => {
    const caller = callerOf(socket);
    waiting.set(caller, socket);
    waitingOf.set(socket, waiting);
    socket.once('close', () => {
      if (waiting.get(caller) === socket) waiting.delete(caller);
    });
    if (waiting.size <= most) return;
    const [oldest] = waiting;
    if (!oldest) return;
    waiting.delete(oldest[0]);
    oldest[1].destroy();
  });
}

/**
 * Runs after all checks that refuse requests: the connection has an accepted request, and is no longer limited.
 * @param isGuarded whether requests need a credential; otherwise each comes from an operator.
 */
export function letConnectionIn(isGuarded: boolean): RequestHandler {
  return (request, response, next) => {
    const { socket } = request;
    waitingOf.get(socket)?.delete(callerOf(socket));
    const known = knownOf(response);
    if (known === undefined ? !isGuarded : isOperating(known)) readAtOnceFrom(socket);
    next();
  };
}

export type AdapterSettings = ServerLimits & ListenSettings;

/**
 * Express on a server with limits of its own. However an app calls `listen`, it listens on the host of the settings,
 * and only if the loopback rule permits it.
 */
export class LimitedHttpAdapter extends ExpressAdapter {
  /** @param server a listening server that passes its requests to Express. */
  constructor(
    private readonly settings: AdapterSettings,
    private readonly server?: Server,
  ) {
    super();
    this.getInstance().disable('x-powered-by');
  }

  override initHttpServer(): void {
    this.httpServer = this.server ?? limitedServer(this.settings, this.getInstance());
  }

  override listen(port: string | number, ...rest: unknown[]) {
    const { host } = this.settings;
    assertListenAddress(this.settings);
    const callback = rest.find((value) => typeof value === 'function') as (() => void) | undefined;
    return this.httpServer.listen(Number(port), bareHost(host), callback);
  }
}
