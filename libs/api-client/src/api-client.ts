import {
  createFinalURL,
  createQuerySerializer,
  type MaybeOptionalInit,
  defaultPathSerializer as pathSerializer,
} from 'openapi-fetch';
import type { paths } from './generated/openapi.js';
import { AnswerError, type FetchedAnswer, ProblemError, problemOfAnswer } from './problem-error.js';

type Method = 'get' | 'put' | 'patch' | 'post' | 'delete';
type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];

type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M>;
/** The second argument may be left out where nothing in it is needed. */
type Rest<I> = undefined extends I ? [init?: I] : [init: I];

type Content<Operation, Type extends string> = Operation extends {
  responses: { 200: { content: Record<Type, infer Value> } };
}
  ? Value
  : never;
export type AnswerOf<P extends keyof paths, M extends Method> = Content<paths[P][M], 'application/json'>;

/** Operations that answer with lines: progress, and a result or an error at the end. */
export type LinesPath = {
  [P in PathsWith<'post'>]: Content<paths[P]['post'], 'application/x-ndjson'> extends never ? never : P;
}[PathsWith<'post'>];
type Line<P extends LinesPath> = Content<paths[P]['post'], 'application/x-ndjson'>;
type Progress<P extends LinesPath> = Extract<Line<P>, { done: number }>;

/** The result of a task that reports its progress. */
export type ResultOf<P extends LinesPath> = Extract<Line<P>, { result: unknown }>['result'];

/** The query parameters of a list or another read. */
export type Query<P extends PathsWith<'get'>> = paths[P]['get'] extends { parameters: { query?: infer Q } }
  ? NonNullable<Q>
  : never;

/** The body of a request, as JSON. */
export type BodyOf<P extends PathsWith<'post'>> = paths[P]['post'] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

/** Lists: their answers have `items`. */
export type ListPath = {
  [P in PathsWith<'get'>]: AnswerOf<P, 'get'> extends { items: unknown[] } ? P : never;
}[PathsWith<'get'>];

/** The kinds of things whose names can be listed. */
export type NamedKind = paths['/v1/names/{kind}']['get']['parameters']['path']['kind'];

/** A request as `fetch` takes it. */
export interface ApiRequest {
  method: string;
  redirect: 'manual';
  /** By their names in lower case. */
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

/** Sends a request, as `fetch` does. */
export type SendToApi = (url: string, request: ApiRequest) => Promise<FetchedAnswer>;

export interface ApiOptions {
  /** Without a slash at the end. */
  address: string;
  token?: string;
  /** In place of the global `fetch`, for limits of time and size. A request for lines accepts `application/x-ndjson`. */
  fetch?: SendToApi;
  /** The error to throw in place of one of this library, or of `fetch`. */
  explained?: (error: unknown) => unknown;
}

const lines = 'application/x-ndjson, application/problem+json';
const querySerializer = createQuerySerializer();

/** What a request of any operation may have. */
interface Sent {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown>; header?: object };
  headers?: object;
  body?: unknown;
  signal?: AbortSignal | null;
}

/**
 * Client of a running Curtail, with the paths, parameters, bodies and answers of docs/reference/openapi.json. A refusal is thrown as
 * ProblemError. Redirects are not followed: the token is for this server alone.
 */
export class ApiClient {
  constructor(private readonly options: ApiOptions) {}

  get<P extends PathsWith<'get'>>(path: P, ...init: Rest<Init<P, 'get'>>): Promise<AnswerOf<P, 'get'>> {
    return this.answer('get', path, init[0]);
  }

  put<P extends PathsWith<'put'>>(path: P, ...init: Rest<Init<P, 'put'>>): Promise<AnswerOf<P, 'put'>> {
    return this.answer('put', path, init[0]);
  }

  patch<P extends PathsWith<'patch'>>(
    path: P,
    ...init: Rest<Init<P, 'patch'>>
  ): Promise<AnswerOf<P, 'patch'>> {
    return this.answer('patch', path, init[0]);
  }

  post<P extends PathsWith<'post'>>(path: P, ...init: Rest<Init<P, 'post'>>): Promise<AnswerOf<P, 'post'>> {
    return this.answer('post', path, init[0]);
  }

  delete<P extends PathsWith<'delete'>>(
    path: P,
    ...init: Rest<Init<P, 'delete'>>
  ): Promise<AnswerOf<P, 'delete'>> {
    return this.answer('delete', path, init[0]);
  }

  /**
   * Starts a task and reads its lines: `{"done","of"}` as progress, `{"result"}` at the end.
   *
   * @throws AnswerError for `{"error":{"message","path"}}`, and where the end is missing.
   */
  async result<P extends LinesPath>(
    path: P,
    init: Init<P, 'post'>,
    onProgress: (done: number, of: number, line: Progress<P>) => void | Promise<void> = () => {},
  ): Promise<ResultOf<P>> {
    try {
      const { body } = await this.sent('post', path, { ...init, headers: { accept: lines } });
      for await (const value of jsonLines(body)) {
        const line = value as Partial<Progress<P>> & {
          result?: ResultOf<P>;
          error?: { message: string; path?: string };
        };
        if (line.error) {
          const { path: field, message } = line.error;
          throw new AnswerError('failed', field ? `${field}: ${message}` : message);
        }
        if (line.result !== undefined) return line.result;
        if (line.done !== undefined && line.of !== undefined)
          await onProgress(line.done, line.of, line as Progress<P>);
      }
      throw new AnswerError('no-result', 'the answer ended before its result');
    } catch (error) {
      throw this.explained(error);
    }
  }

  private async answer<T>(method: Method, path: keyof paths, init: object | undefined): Promise<T> {
    try {
      const text = await (await this.sent(method, path, init)).text();
      return (text === '' ? undefined : JSON.parse(text)) as T;
    } catch (error) {
      // By name: `fetch` may have been loaded in another realm, with an error class of its own.
      const isSyntax = (error as Error).name === 'SyntaxError';
      throw this.explained(isSyntax ? new AnswerError('not-json', 'the answer is not JSON') : error);
    }
  }

  private async sent(
    method: Method,
    path: string,
    { params = {}, headers, body, signal }: Sent = {},
  ): Promise<FetchedAnswer> {
    const { address: baseUrl, token, fetch: send = fetch as SendToApi } = this.options;
    const given = {
      accept: 'application/json, application/problem+json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...params.header,
    };
    const answer = await send(createFinalURL(path, { baseUrl, params, querySerializer, pathSerializer }), {
      method: method.toUpperCase(),
      redirect: 'manual',
      headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      // A text, such as YAML, is sent as it is.
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    if (answer.ok) return answer;
    throw new ProblemError(await problemOfAnswer(answer));
  }

  private explained(error: unknown): unknown {
    return this.options.explained?.(error) ?? error;
  }
}

/** Characters of the longest line: a result may list many plans. */
const longestLine = 256 * 1024 * 1024;

/** The JSON values of a stream with one on each line. @throws AnswerError for a line that is not JSON, or is too long. */
async function* jsonLines(body: FetchedAnswer['body']): AsyncGenerator<unknown, void> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    const [first = '', ...lines] = decoder.decode(piece, { stream: true }).split('\n');
    parts.push(first);
    length += first.length;
    if (length > longestLine) throw new AnswerError('too-long', 'a line of the answer is too long');
    for (const line of lines) {
      yield* parsed(parts.join(''));
      parts = [line];
      length = line.length;
    }
  }
  yield* parsed(parts.join('') + decoder.decode());
}

function* parsed(line: string): Generator<unknown> {
  if (line.trim() === '') return;
  try {
    yield JSON.parse(line);
  } catch {
    throw new AnswerError('not-json', 'the answer is not JSON');
  }
}

/** A page of a list; `next` is present if there are more items. */
export interface Page<T> {
  items: T[];
  next?: string;
}

/**
 * The pages of a list, one after the other, until the last one or until its caller stops.
 *
 * @param read a page; `after` is the `next` of the previous page, undefined for the first one.
 */
export async function* pagesOf<P extends { next?: string }>(
  read: (after: string | undefined) => Promise<P>,
): AsyncGenerator<P, void> {
  let after: string | undefined;
  do {
    const page = await read(after);
    yield page;
    after = page.next;
  } while (after !== undefined);
}
