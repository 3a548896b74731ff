import { type Agent, request } from 'node:http';

export const tokens = { operator: 'the-token-of-the-operators', team: 'the-token-of-a-team' };

/** A request, of a caller or without a token. */
export interface Sent {
  who: keyof typeof tokens | undefined;
  method: string;
  path: string;
  type?: string;
  body?: string | Buffer;
}

/**
 * Sends a request, and reads its answer whole. `fetch` would copy a body several times, at the cost of the program that is measured.
 * @param to an address, or a Unix socket.
 * @param agent absent: over a connection of its own.
 */
export function send(
  to: string | { socketPath: string },
  { who, method, path, type, body }: Sent,
  { agent, signal }: { agent?: Agent; signal?: AbortSignal } = {},
): Promise<{ status: number; ms: number }> {
  const began = performance.now();
  const headers = {
    ...(who && { authorization: `Bearer ${tokens[who]}` }),
    ...(type && { 'content-type': type }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: agent ?? (false as const), ...(signal && { signal }) };
    const outgoing =
      typeof to === 'string' ? request(to + path, options) : request({ ...to, path, ...options });
    outgoing.once('error', reject);
    outgoing.once('response', (answer) => {
      answer.once('error', reject).resume();
      answer.once('end', () => resolve({ status: answer.statusCode!, ms: performance.now() - began }));
    });
    outgoing.end(body);
  });
}
