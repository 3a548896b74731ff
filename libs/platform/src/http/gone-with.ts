import type { ServerResponse } from 'node:http';

/** Aborted once the client has left without its answer. */
export function goneWith(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) gone.abort();
  });
  return gone.signal;
}
