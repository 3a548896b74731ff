import { userInfo } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { AnswerError, ApiClient, type ApiRequest, type FetchedAnswer, ProblemError } from '#api-client';
import { within } from '#waiting';
import type { Invocation } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';
import { serverAddress, socketOf } from './address.js';
import { type BegunAnswer, overHttp } from './over-http.js';
import { NoAnswerError, ServerError } from './server-error.js';

/** Time limits of an answer and of silence in a stream, and the size limit of an answer: a plan with a hundred thousand victims has some 40 MB. */
const usualLimits = { answerMs: 120_000, silenceMs: 300_000, answerBytes: 256 * 1024 * 1024 };
type Limits = typeof usualLimits;

type Begin = (signal: AbortSignal) => Promise<BegunAnswer>;

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
      fetch: async (url, request) => {
        if (fresh) request.headers.authorization = `Bearer ${await fresh()}`;
        const begin = (signal: AbortSignal) => send(url, { ...request, signal });
        if (request.headers.accept?.includes('ndjson')) return streamed(begin, address, limits);
        const sent = () => whole(begin, request.signal, address, limits);
        return isRepeatable(url, request) ? sentAgain(sent) : sent();
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
  begin: Begin,
  stopped: AbortSignal | undefined,
  address: string,
  { answerMs, answerBytes }: Limits,
): Promise<FetchedAnswer> {
  try {
    return await within({ ms: answerMs, signals: [stopped] }, async (signal) => {
      const answer = await begin(signal);
      const text = await textOf(answer.body, answer.ok ? answerBytes : problemBytes);
      return { ...answer, text: async () => text };
    });
  } catch (error) {
    const { name } = error as Error;
    if (!stopped?.aborted && (name === 'TimeoutError' || name === 'AbortError'))
      throw noAnswer(address, answerMs);
    throw error;
  }
}

/** An answer that may take long, and is given up once it falls silent. */
async function streamed(begin: Begin, address: string, { silenceMs }: Limits): Promise<FetchedAnswer> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(noAnswer(address, silenceMs)), silenceMs);
  try {
    const answer = await begin(patience.signal);
    const body = watched(answer.body, timer);
    return { ...answer, body, text: () => textOf(body, problemBytes) };
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
}

/** The same bytes. Each piece starts the timer again; the end stops it, also where the reader or the connection ends it early. */
async function* watched(body: AsyncIterable<Uint8Array>, timer: NodeJS.Timeout): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body) {
      timer.refresh();
      yield piece;
    }
  } finally {
    clearTimeout(timer);
  }
}

async function textOf(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > limitBytes) {
      throw new CommandError(
        `the answer is larger than ${limitBytes} bytes, the limit: request less with --limit or --queue`,
      );
    }
  }
  return Buffer.concat(chunks).toString();
}

const noAnswer = (address: string, waitedMs: number) =>
  new NoAnswerError(`${address} gave no answer in ${waitedMs / 1000} s`, {
    next: 'see whether the process works: its /healthz, its log, and the load of its machine',
  });

/** OpenSSL says this of an answer without TLS; Node has no code of its own for it. */
const speaksNoTls = /wrong.version.number/i;

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
  if (address.startsWith('https:') && speaksNoTls.test(`${code} ${cause?.message}`)) {
    return new CommandError(`the server at ${address} does not speak TLS`, {
      next: `give its address as ${address.replace('https:', 'http:')}`,
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
 * Sends a request again whose connection broke before an answer, as an overloaded server lets it.
 *
 * @throws what `send` throws, the last time at once.
 */
async function sentAgain<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt === attempts || !hasBroken(error)) throw error;
      await delay(firstDelayMs * 2 ** (attempt - 1));
    }
  }
}

/** Reads, and the stop, which has the same effect twice and must get through when everything else does not. Other requests are sent once. */
const isRepeatable = (url: string, { method }: ApiRequest): boolean =>
  method === 'GET' || (method === 'POST' && new URL(url).pathname.endsWith('/v1/kill-switch'));

function hasBroken(error: unknown): boolean {
  const code = (error as { cause?: NodeJS.ErrnoException }).cause?.code ?? '';
  return ['ECONNRESET', 'EPIPE'].includes(code);
}
