import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { userInfo } from 'node:os';
import type { TLSSocket } from 'node:tls';

const local = new WeakSet<Socket>();

/** Connections to this server come from whoever may open its socket: the user whom the rights of the file name. */
export const acceptLocal = (server: Server): unknown =>
  server.on('connection', (socket) => local.add(socket));

export const isLocal = (socket: Socket): boolean => local.has(socket);

/**
 * The common name of the certificate that a caller has shown, which Node has verified; the whole subject where it has none. Undefined: there is no
 * certificate, or it has several common names, of which any could be meant.
 */
export function certifiedSubject(socket: Socket): string | undefined {
  const { authorized, getPeerX509Certificate } = socket as Partial<TLSSocket>;
  if (authorized !== true) return undefined;
  const subject = getPeerX509Certificate?.call(socket as TLSSocket)?.subject;
  if (subject === undefined || subject === '') return undefined;
  const names = subject.split('\n').filter((part) => part.startsWith('CN='));
  if (names.length > 1) return undefined;
  return names[0]?.slice('CN='.length) ?? subject.split('\n').join(',');
}

/** The name of the user of this process, for the record. */
export function userName(): string {
  try {
    return userInfo().username || 'operator';
  } catch {
    // The user of a container may have no name.
    return 'operator';
  }
}
