import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';

const waitingOf = new WeakMap<Socket, Set<Socket>>();

/**
 * Bounds the connections on which no request has been let in: above the bound, the one that has been open longest is closed.
 * Connections that send nothing, or nothing that is let in, can so take neither the file descriptors of the process nor the
 * place of an operator's connection, which is new and sends its request at once.
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

/** Stands behind all that refuses requests: the connection is one that was let in, and no longer bounded. */
export function letConnectionIn(): RequestHandler {
  return ({ socket }, _response, next) => {
    waitingOf.get(socket)?.delete(socket);
    next();
  };
}
