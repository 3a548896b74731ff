import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { within } from '@curtail/waiting';
import { CommandError } from '../errors.js';
import { inputLimits } from '../input/limits.js';
import { readLines } from '../input/lines.js';
import type { Invocation } from '../invocation.js';
import { serverAddress } from './address.js';
import { NoAnswerError, ServerError, type ServerProblem } from './server-error.js';

/** Time limits of an answer and of silence in a stream, and the size limit of an answer. */
const usualLimits = { answerMs: 120_000, silenceMs: 300_000, answerBytes: inputLimits.answerBytes };

const problemBytes = 4 * 1024 * 1024;

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** Progress of a task; a replay also reports its name. */
export interface ProgressLine {
  done?: number;
  of?: number;
  replay?: string;
  resumed?: boolean;
  unit?: string;
}

/** The request body; `type` is the content type, JSON by default. */
interface Body {
  content?: string;
  type?: string;
  headers?: Record<string, string>;
}

/**
 * Client of a running Curtail. Refusals become ServerError, a server that cannot be reached NoAnswerError; no message holds the
 * token. Redirects are not followed: the token is for this server alone.
 */
export class Client {
  readonly address: string;

  constructor(
    server: string,
    private readonly token?: string,
    private readonly limits = usualLimits,
  ) {
    this.address = serverAddress(server);
  }

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.ask<T>('GET', path, undefined, signal);
  }

  /** Sends JSON, or with `type` a text of that type. */
  send<T>(
    method: Exclude<Method, 'GET'>,
    path: string,
    body?: unknown,
    { type, headers }: { type?: string; headers?: Record<string, string> } = {},
  ): Promise<T> {
    return this.ask<T>(method, path, { ...bodyOf(body, type), ...(headers && { headers }) });
  }

  /**
   * Sends JSON and reads JSON lines: `{"done","of"}` as progress, `{"result"}` at the end.
   * @throws CommandError for `{"error":{"message","path"}}`, and where the end is missing.
   */
  async sendForResult<T>(
    path: string,
    body: unknown,
    onProgress: (done: number, of: number, line: ProgressLine) => void | Promise<void>,
  ): Promise<T> {
    const patience = new AbortController();
    let timer = setTimeout(() => patience.abort(), this.limits.silenceMs);
    try {
      const response = await this.fetched('POST', path, bodyOf(body), patience.signal);
      for await (const { text } of readLines(streamOf(response))) {
        clearTimeout(timer);
        timer = setTimeout(() => patience.abort(), this.limits.silenceMs);
        const line = parsed(text ?? '') as ProgressLine & {
          result?: T;
          error?: { message: string; path?: string };
        };
        if (line.error) {
          const { path: field, message } = line.error;
          throw new CommandError(field ? `${field}: ${message}` : message);
        }
        if (line.result !== undefined) return line.result;
        if (line.done !== undefined && line.of !== undefined) await onProgress(line.done, line.of, line);
      }
    } catch (error) {
      throw this.explained(error, this.limits.silenceMs);
    } finally {
      clearTimeout(timer);
      patience.abort();
    }
    throw new NoAnswerError(`${this.address} ended its answer before the result: check its log`);
  }

  private async ask<T>(method: Method, path: string, body?: Body, signal?: AbortSignal): Promise<T> {
    const { answerMs, answerBytes } = this.limits;
    try {
      return await within({ ms: answerMs, signals: [signal] }, async (limit) => {
        const response = await this.fetched(method, path, body, limit);
        return parsed(await textOf(response, answerBytes)) as T;
      });
    } catch (error) {
      throw this.explained(error, answerMs);
    }
  }

  private async fetched(
    method: Method,
    path: string,
    body: Body | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    const response = await fetch(this.address + path, {
      method,
      redirect: 'manual',
      signal,
      headers: {
        accept: 'application/json, application/x-ndjson, application/problem+json',
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body?.content === undefined ? {} : { 'content-type': body.type ?? 'application/json' }),
        ...body?.headers,
      },
      ...(body?.content === undefined ? {} : { body: body.content }),
    });
    if (response.ok) return response;
    throw new ServerError(await problemOf(response));
  }

  private explained(error: unknown, waitedMs: number): unknown {
    if (error instanceof CommandError) return error;
    const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    if (name === 'TimeoutError' || name === 'AbortError') {
      return new NoAnswerError(`${this.address} gave no answer in ${waitedMs / 1000} s`);
    }
    const code = cause?.code ?? '';
    if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(code)) {
      return new NoAnswerError(`no Curtail answers at ${this.address} (${code})`, {
        next: 'start one with `npm start`, or give --server',
      });
    }
    if (name === 'TypeError') {
      return new NoAnswerError(
        `no answer from ${this.address}: the connection broke (${cause?.message || code || message})`,
      );
    }
    return error;
  }
}

export function clientOf({ server, token }: Invocation): Client {
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new CommandError(
      'the token has characters that are not allowed in a token: copy it again, without blanks around it',
    );
  }
  return new Client(server, token);
}

function bodyOf(body: unknown, type?: string): Body | undefined {
  if (body === undefined) return undefined;
  return type === undefined ? { content: JSON.stringify(body) } : { content: String(body), type };
}

function streamOf(response: Response): Readable {
  return response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as ReadableStream);
}

async function textOf(response: Response, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streamOf(response)) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > limitBytes) {
      throw new CommandError(
        `the answer is larger than ${limitBytes} bytes, the limit: request less with --limit or --queue`,
      );
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError('the answer is not JSON: is this a Curtail server? Check --server');
  }
}

async function problemOf(response: Response): Promise<ServerProblem> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    const detail = `the server redirects to ${headers.get('location') ?? 'somewhere else'}`;
    return { status, detail, remedy: 'give the address of Curtail itself with --server' };
  }
  const problem: unknown = await textOf(response, problemBytes)
    .then(JSON.parse)
    .catch(() => undefined);
  if (typeof problem === 'object' && problem !== null && 'title' in problem) {
    return { ...(problem as Omit<ServerProblem, 'status'>), status };
  }
  return { status, detail: `the server answers with status ${status}, but not like a Curtail server` };
}
