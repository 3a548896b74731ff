import { setTimeout as delay } from 'node:timers/promises';

const attempts = 8;
const firstDelayMs = 50;

/**
 * Sends a request again whose connection broke before an answer, as an overloaded server lets it: reads, and the stop, which
 * has the same effect twice and must get through when everything else does not. Other requests are sent once.
 *
 * @throws what `send` throws, the last time at once.
 */
export async function sentAgain(
  request: Request,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  if (!isRepeatable(request)) return send(request);
  for (let attempt = 1; ; attempt++) {
    try {
      // The body of a request can be read once.
      return await send(request.clone());
    } catch (error) {
      if (attempt === attempts || request.signal.aborted || !hasBroken(error)) throw error;
      await delay(firstDelayMs * 2 ** (attempt - 1));
    }
  }
}

const isRepeatable = ({ method, url }: Request): boolean =>
  method === 'GET' || (method === 'POST' && new URL(url).pathname.endsWith('/v1/kill-switch'));

function hasBroken(error: unknown): boolean {
  const code = (error as { cause?: NodeJS.ErrnoException }).cause?.code ?? '';
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code);
}
