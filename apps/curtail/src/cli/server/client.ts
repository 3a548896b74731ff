import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AnswerError, ApiClient, ProblemError } from '#api-client';
import { within } from '#waiting';
import { inputLimits } from '../input/source.js';
import type { Invocation } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';
import { serverAddress, socketOf } from './address.js';
import { overHttp, type Send } from './over-http.js';
import { NoAnswerError, ServerError } from './server-error.js';

/** Time limits of an answer and of silence in a stream, and the size limit of an answer. */
const usualLimits = { answerMs: 120_000, silenceMs: 300_000, answerBytes: inputLimits.answerBytes };
type Limits = typeof usualLimits;

type To = { send: Send; address: string };

const problemBytes = 4 * 1024 * 1024;

/**
 * Client of a running Curtail. Refusals become ServerError, a server that cannot be reached NoAnswerError; no message holds the
 * token.
 */
export class Client extends ApiClient {
  /**
   * @param fresh the token to send instead, which may be renewed before a request.
   * @param certificate what a server sees of this client over TLS.
   */
  constructor(
    server: string,
    token?: string,
    limits: Limits = usualLimits,
    fresh?: () => Promise<string>,
    certificate?: { cert: string; key: string },
  ) {
    const address = serverAddress(server);
    const socket = socketOf(address);
    const send = overHttp(socket === undefined ? certificate : { socketPath: socket });
    super({
      address: socket === undefined ? address : 'http://localhost',
      ...(token === undefined ? {} : { token }),
      fetch: async (request) => {
        if (fresh) request.headers.set('authorization', `Bearer ${await fresh()}`);
        return request.headers.get('accept')?.includes('ndjson')
          ? streamed(request, { send, address }, limits)
          : sentAgain(request, (one) => whole(one, { send, address }, limits));
      },
      explained: (error) => explained(error, address),
    });
  }
}

/** @param limits those that differ from the usual ones; `answerMs` counts for each time that a request is sent. */
export function clientOf({ server, token, connection }: Invocation, limits: Partial<Limits> = {}): Client {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new CommandError(
      'the token has characters that are not allowed in a token: copy it again, without spaces around it',
    );
  }
  const certificate = connection.certificate?.read();
  if (certificate !== undefined && serverAddress(server).startsWith('http:'))
    throw new CommandError(
      `${server} is not reached over TLS, so it would never see the certificate: write https`,
    );
  return new Client(server, token, { ...usualLimits, ...limits }, connection.token.fresh, certificate);
}

/** An answer that has arrived completely, within the limits. */
async function whole(
  request: Request,
  { send, address }: To,
  { answerMs, answerBytes }: Limits,
): Promise<Response> {
  try {
    return await within({ ms: answerMs, signals: [request.signal] }, async (signal) => {
      const response = await send(request, { signal });
      const bytes = await bytesOf(response, response.ok ? answerBytes : problemBytes);
      return new Response(bytes.length === 0 ? null : bytes, response);
    });
  } catch (error) {
    const { name } = error as Error;
    if (!request.signal.aborted && (name === 'TimeoutError' || name === 'AbortError'))
      throw noAnswer(address, answerMs);
    throw error;
  }
}

/** An answer that may take long, and is given up once it falls silent. */
async function streamed(request: Request, { send, address }: To, { silenceMs }: Limits): Promise<Response> {
  const patience = new AbortController();
  const giveUp = () => patience.abort(noAnswer(address, silenceMs));
  let timer = setTimeout(giveUp, silenceMs);
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, silenceMs);
  };
  const ended = () => clearTimeout(timer);
  try {
    const response = await send(request, { signal: patience.signal });
    return new Response(response.body === null ? null : watched(response.body, restart, ended), response);
  } catch (error) {
    ended();
    throw error;
  }
}

/** The same bytes. @param received called for each piece; `ended` once, also where the reader or the connection ends it early. */
function watched(
  body: ReadableStream<Uint8Array>,
  received: () => void,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          received();
          return controller.enqueue(value);
        }
        ended();
        controller.close();
      } catch (error) {
        ended();
        controller.error(error);
      }
    },
    cancel(reason) {
      ended();
      return reader.cancel(reason);
    },
  });
}

async function bytesOf(response: Response, limitBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limitBytes) {
      throw new CommandError(
        `the answer is larger than ${limitBytes} bytes, the limit: request less with --limit or --queue`,
      );
    }
  }
  return Buffer.concat(chunks);
}

const noAnswer = (address: string, waitedMs: number) =>
  new NoAnswerError(`${address} gave no answer in ${waitedMs / 1000} s`, {
    next: 'see whether the process works: its /healthz, its log, and the load of its machine',
  });

function explained(error: unknown, address: string): unknown {
  if (error instanceof ProblemError) return new ServerError(error.problem);
  if (error instanceof AnswerError) {
    if (error.code === 'no-result')
      return new NoAnswerError(`${address} ended its answer before the result: check its log`);
    return error.code === 'not-json'
      ? new CommandError('the answer is not JSON: is this a Curtail server? Check --server')
      : new CommandError(error.message);
  }
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  const code = cause?.code ?? '';
  if (
    ['ECONNREFUSED', 'ENOENT', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
      code,
    )
  ) {
    return new NoAnswerError(`no Curtail answers at ${address} (${code})`, {
      next: 'start one with `curtail start`, or give --server',
    });
  }
  if (name === 'TypeError') {
    return new NoAnswerError(
      `no answer from ${address}: the connection broke (${cause?.message || code || message})`,
      // A server ends the connection of a client whose certificate it does not accept, in most cases without a word.
      address.startsWith('https:')
        ? { next: 'if the server wants a certificate of its authority, give --client-cert and --client-key' }
        : {},
    );
  }
  return error;
}

/** The caller that the log names. */
export function callerName(): string {
  try {
    return userInfo().username || 'operator';
  } catch {
    // The user of a container may have no name.
    return 'operator';
  }
}

const attempts = 8;
const firstDelayMs = 50;

/**
 * Sends a request again whose connection broke before an answer, as an overloaded server lets it: reads, and the stop, which
 * has the same effect twice and must get through when everything else does not. Other requests are sent once.
 *
 * @throws what `send` throws, the last time at once.
 */
async function sentAgain(request: Request, send: (request: Request) => Promise<Response>): Promise<Response> {
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
  return ['ECONNRESET', 'EPIPE'].includes(code);
}
