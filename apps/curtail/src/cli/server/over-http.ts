import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';

/** Statuses without a body, which `Response` takes no body for. */
const empty = new Set([204, 205, 304]);

/** Where `fetch` cannot go: to a Unix socket, or to a server that wants a certificate of its caller, in PEM. */
export type OwnConnection = { socketPath: string } | { cert: string; key: string };

/** Does what `fetch` does, and follows no redirect. @throws as `fetch`. */
export type Send = (request: Request, options: { signal: AbortSignal }) => Promise<Response>;

/**
 * Sends over HTTP of Node, and keeps connections for further requests. `fetch` would take a third of the time of a command that has one
 * request, and a stop must not wait.
 */
export function overHttp(own?: OwnConnection): Send {
  const isSocket = own !== undefined && 'socketPath' in own;
  // A connection that is kept and not used lets the process end.
  const agents = {
    'http:': new HttpAgent({ keepAlive: true }),
    'https:': new HttpsAgent({ keepAlive: true, ...(isSocket ? {} : own) }),
  };
  return async (request, { signal }) => {
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
    const { protocol, hostname, port, pathname, search } = new URL(request.url);
    const isSecure = protocol === 'https:';
    const { method } = request;
    const headers = { 'accept-encoding': 'gzip', ...Object.fromEntries(request.headers) };
    return new Promise((resolve, reject) => {
      const options = {
        ...(isSocket ? own : { host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port && { port }) }),
        ...{ method, path: `${pathname}${search}`, headers, signal },
        agent: agents[isSecure ? 'https:' : 'http:'],
      };
      const sent = (isSecure ? httpsRequest : httpRequest)(options, (answer) => {
        const status = answer.statusCode ?? 502;
        if (empty.has(status)) answer.resume();
        const content = empty.has(status) ? null : contentOf(answer, signal);
        resolve(new Response(content, { status, headers: headersOf(answer.rawHeaders) }));
      });
      sent.once('error', (cause) =>
        reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause })),
      );
      sent.end(body);
    });
  };
}

function contentOf(answer: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  const isPacked = answer.headers['content-encoding'] === 'gzip';
  // An answer that breaks off ends the content with its error.
  const content = isPacked ? pipeline(answer, createGunzip(), () => {}) : answer;
  signal.addEventListener('abort', () => content.destroy(signal.reason), { once: true });
  return Readable.toWeb(content) as NodeStream<Uint8Array> as ReadableStream<Uint8Array>;
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index]!, raw[index + 1]!);
  return headers;
}
