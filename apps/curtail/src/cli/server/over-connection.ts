import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';

/** Statuses without a body, which `Response` takes no body for. */
const empty = new Set([204, 205, 304]);

/** Where `fetch` cannot go: to a Unix socket, or to a server that wants a certificate of its caller, in PEM. */
export type OwnConnection = { socketPath: string } | { cert: string; key: string };

/** `fetch` over a connection of its own. @throws as `fetch`. */
export async function overConnection(
  connection: OwnConnection,
  request: Request,
  { signal }: { signal: AbortSignal },
): Promise<Response> {
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const { hostname, port, pathname, search } = new URL(request.url);
  const isSocket = 'socketPath' in connection;
  const { method } = request;
  const headers = Object.fromEntries(request.headers);
  return new Promise((resolve, reject) => {
    const options = {
      ...connection,
      ...(isSocket
        ? {}
        : { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 443 : Number(port) }),
      ...{ method, path: `${pathname}${search}`, headers, signal, agent: false as const },
    };
    const sent = (isSocket ? httpRequest : httpsRequest)(options, (answer) => {
      const status = answer.statusCode ?? 502;
      if (empty.has(status)) answer.resume();
      const content = empty.has(status)
        ? null
        : (Readable.toWeb(answer) as NodeStream<Uint8Array> as ReadableStream<Uint8Array>);
      resolve(new Response(content, { status, headers: headersOf(answer.rawHeaders) }));
    });
    sent.once('error', (cause) =>
      reject(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause })),
    );
    sent.end(body);
  });
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) headers.append(raw[index]!, raw[index + 1]!);
  return headers;
}
