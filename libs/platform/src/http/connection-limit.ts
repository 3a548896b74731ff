import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';

const waitingOf = new WeakMap<Socket, Set<Socket>>();

/**
 * Limits the connections without an accepted request: above the limit, the oldest one is closed. Connections that send
 * nothing, or nothing acceptable, therefore use up neither the file descriptors of the process nor the place of an
 * operator's connection, which is new and sends its request at once.
 */
export function limitConnections(server: Server, most: number): void {
  /** In the order in which they were opened. */
  const waiting = new Set<Socket>();
  server.on('connection', (socket) => {
    waiting.add(socket);
    waitingOf.set(socket, waiting);
    socket.once('close', () => waiting.delete(socket));
    if (waiting.size <= most) return;
    const [oldest] = waiting;
    if (!oldest) return;
    waiting.delete(oldest);
    oldest.destroy();
  });
}

/** Runs after all checks that refuse requests: the connection has an accepted request, and is no longer limited. */
export function letConnectionIn(): RequestHandler {
  return ({ socket }, _response, next) => {
    waitingOf.get(socket)?.delete(socket);
    next();
  };
}
