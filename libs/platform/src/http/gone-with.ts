import type { ServerResponse } from 'node:http';

/** Aborted once the client has left without its answer. */
export function goneWith(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  onceClosed(response, () => {
    if (!response.writableEnded) gone.abort();
  });
  return gone.signal;
}

/** Calls back once the answer is sent or the client has left, which may have been a moment ago. */
export function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act();
  else response.once('close', act);
}
