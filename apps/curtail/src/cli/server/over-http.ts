import * as http from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { ApiRequest, FetchedAnswer } from '#api-client';

/** Where `fetch` cannot go: to a Unix socket, or to a server that wants a certificate of its caller, in PEM. */
export type OwnConnection = { socketPath: string } | { cert: string; key: string };

/** An answer whose content is still to come. */
export interface BegunAnswer extends Omit<FetchedAnswer, 'text'> {
  body: AsyncIterable<Uint8Array>;
}

export type Send = (url: string, request: ApiRequest) => Promise<BegunAnswer>;

/**
 * Sends over HTTP of Node, as `fetch` does and with its errors, and keeps connections for further requests to the same server. What `fetch`
 * loads takes a third of the time of a command that has one request, and a stop must not wait; so does TLS where none is used.
 */
export function overHttp(own?: OwnConnection): Send {
  const isSocket = own !== undefined && 'socketPath' in own;
  let agent: http.Agent | undefined;
  return async (url, { method, headers, body, signal }) => {
    const { protocol, hostname, port, pathname, search } = new URL(url);
    const { Agent, request } = protocol === 'https:' ? await import('node:https') : http;
    // A connection that is kept and not used lets the process end.
    agent ??= new Agent({ keepAlive: true, ...(isSocket ? {} : own) });
    const options = {
      ...(isSocket ? own : { host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port && { port }) }),
      ...{ method, path: `${pathname}${search}`, headers: { 'accept-encoding': 'gzip', ...headers } },
      ...{ agent, ...(signal && { signal }) },
    };
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      request(options, resolve)
        .once('error', (cause) =>
          reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause })),
        )
        .end(body);
    });
    const status = answer.statusCode ?? 502;
    return {
      ok: status >= 200 && status < 300,
      status,
      headers: { get: (name) => answer.headersDistinct[name]?.join(', ') ?? null },
      body: contentOf(answer, signal),
    };
  };
}

function contentOf(answer: http.IncomingMessage, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  const isPacked = answer.headers['content-encoding'] === 'gzip';
  // An answer that breaks off ends the content with its error.
  const content = isPacked ? pipeline(answer, createGunzip(), () => {}) : answer;
  signal?.addEventListener('abort', () => content.destroy(signal.reason), { once: true });
  return content;
}
