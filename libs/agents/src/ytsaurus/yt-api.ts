import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import { InputError, isObject, pauseAfter } from '#contracts';
import {
  type Exchanged,
  HttpExchange,
  httpAddress,
  isOfCertificate,
  type RequestTarget,
} from '../http-exchange.js';
import { isPassing, isUnmarkedRepetition, YtError, ytCodes } from './yt-error.js';

export interface YtApiOptions {
  /** The addresses of proxies of one cluster, with commas in between: `http://yt.example`. */
  url: string;
  /** Reads the token; it is asked again when a proxy refuses the last one. Absent: no token is sent. */
  token?: (() => Promise<string>) | undefined;
  /** Called before a change is sent; what it throws prevents that. */
  guard?: (() => void) | undefined;
  /** The certificates of a private authority, in PEM. */
  ca?: string | undefined;
  /** Milliseconds for one answer, from the request to its last byte. */
  answerMs?: number;
  /** Bytes of one answer. */
  largestAnswer?: number;
  /** Requests at the same time. */
  atOnce?: number;
}

export type Parameters = Readonly<Record<string, unknown>>;

const usual = { answerMs: 20_000, largestAnswer: 256 * 1024 * 1024, atOnce: 8 };
/** Of commands on operations and jobs, which ask other servers. */
const operationAnswerMs = 60_000;
const onOperations = /^(list_operations|get_operation|list_jobs|get_job)$/;
const mostTries = 3;
const retryMs = { first: 200, longest: 5000 };
const shownCharacters = 200;
const json = { $attributes: { encode_utf8: false }, $value: 'json' };
const remedy =
  'Give the address of a proxy of YTsaurus, such as http://yt.example, as --ytsaurus-url (CURTAIL_YTSAURUS_URL), with nothing in between that answers in its place.';

/**
 * The HTTP API v4 of one YTsaurus. Errors are in headers, in trailers after a 200, or in bodies; an answer that is late, broken off, too large
 * or no JSON is an error as well, and never an empty list. Reads are repeated; changes only under the same mutation id.
 */
export class YtApi {
  /** The proxies, without a slash at the end. */
  readonly urls: readonly string[];
  private readonly targets: readonly RequestTarget[];
  private active = 0;
  private readonly exchange: HttpExchange;
  private readonly operationMs: number;
  private token: Promise<string> | undefined;
  /** The last answers to requests that are made again and again. */
  private readonly kept = new Map<string, { body: Buffer; reading: unknown; isUsed: boolean }>();

  /** @throws InputError unless each address is one of HTTP. */
  constructor(private readonly options: YtApiOptions) {
    this.urls = options.url.split(',').map((address) => addressOf(address.trim()));
    this.targets = this.urls.map((url) => urlToHttpOptions(new URL(url)));
    const schemes = new Set(this.targets.map(({ protocol }) => protocol));
    if (schemes.size > 1) throw new InputError('url', 'write all addresses with http, or all with https');
    const { answerMs = usual.answerMs, largestAnswer = usual.largestAnswer, atOnce = usual.atOnce } = options;
    this.operationMs = options.answerMs ?? operationAnswerMs;
    this.exchange = new HttpExchange({
      ...{ answerMs, largestAnswer, atOnce },
      secure: schemes.has('https:'),
      ca: options.ca,
      failure: (code, message) =>
        new YtError(
          code,
          code !== 'unreachable'
            ? message
            : isOfCertificate(message)
              ? `${message}. Name the authority of its certificate by CURTAIL_YTSAURUS_CA.`
              : `${message}. Check that the proxy runs. ${remedy}`,
        ),
    });
  }

  /** The address of the proxy that answered last. */
  get url(): string {
    return this.urls[this.active] ?? '';
  }

  close(): void {
    this.exchange.close();
  }

  /** A command that changes nothing. What may pass is tried three times. @throws YtError */
  async read(command: string, parameters: Parameters): Promise<unknown> {
    return parsed((await this.answerTo(command, parameters)).text, this.place(command, parameters));
  }

  /**
   * What is read in an answer; the same as before, if the answer is the same to the byte. Such answers are long, and come again and again: they
   * are asked for and compared as gzip, so that little is sent, and nothing is unpacked that is known.
   *
   * @throws YtError, and what `read` throws.
   */
  async readKept<T>(command: string, parameters: Parameters, read: (answer: unknown) => T): Promise<T> {
    const key = JSON.stringify([command, parameters]);
    const answer = await this.answerTo(command, parameters, { 'accept-encoding': 'gzip' });
    const known = this.kept.get(key);
    if (known !== undefined && isSameBody(known.body, answer.chunks)) {
      known.isUsed = true;
      return known.reading as T;
    }
    const reading = read(parsed(answer.text, this.place(command, parameters)));
    this.kept.set(key, { body: Buffer.concat(answer.chunks), reading, isUsed: true });
    return reading;
  }

  /** Forgets the answers to requests that were not made since the last call: pages begin elsewhere when work ends. */
  forgetUnused(): void {
    for (const [key, one] of this.kept) {
      if (one.isUsed) one.isUsed = false;
      else this.kept.delete(key);
    }
  }

  /** The bare value at a path of Cypress. @throws YtError */
  get(path: string, further: Parameters = {}): Promise<unknown> {
    return this.read('get', { path, ...further, return_only_value: true });
  }

  /** As `get`; undefined where nothing is at that path. @throws YtError */
  async find(path: string, further: Parameters = {}): Promise<unknown> {
    try {
      return await this.get(path, further);
    } catch (error) {
      if (error instanceof YtError && error.has(ytCodes.resolve)) return undefined;
      throw error;
    }
  }

  /**
   * A command that changes something, under its mutation id. Whatever may pass is repeated with the same id and the mark `retry`, as long as
   * it is valid.
   *
   * @param isRetry whether it may have been sent before.
   * @returns whether it was sent more than once.
   * @throws YtError; with `wasSentBefore` true if an earlier try may have been carried out.
   */
  async change(
    command: string,
    parameters: Parameters,
    {
      mutationId,
      isRetry,
      isValid,
      answerMs,
    }: { mutationId: string; isRetry: boolean; isValid: () => boolean; answerMs: number },
  ): Promise<{ isRepeated: boolean }> {
    let isRepeated = isRetry;
    for (let tries = 1; ; tries++) {
      const body = { ...parameters, mutation_id: mutationId, retry: isRepeated };
      this.options.guard?.();
      try {
        const { text } = await this.once('POST', command, body, { answerMs });
        if (text.trim() !== '') parsed(text, this.place(command, parameters));
        return { isRepeated };
      } catch (error) {
        if (!(error instanceof YtError)) throw error;
        if (!isRepeated && isUnmarkedRepetition(error)) {
          isRepeated = true;
          continue;
        }
        if (!isPassing(error) || tries >= mostTries) throw new ChangeFailed(error, isRepeated);
        // Nothing was carried out of what certainly was not sent.
        if (error.code !== 'unreachable') isRepeated = true;
        await delay(pauseOf(error, tries));
        if (!isValid()) throw new ChangeFailed(error, isRepeated);
      }
    }
  }

  /** When a proxy answers, by its own clock, as in a `Date` header; undefined if it sends none. @throws YtError */
  async date(): Promise<string | undefined> {
    return (await this.send('GET', '/api/v4', undefined, usual)).headers.date;
  }

  /** Names of the commands that a proxy knows. @throws YtError */
  async commands(): Promise<ReadonlySet<string>> {
    const answer = await this.send('GET', '/api/v4', undefined, usual);
    const listed = parsed(answer.text, `${this.url}/api/v4`);
    if (!Array.isArray(listed))
      throw new YtError('no-json', `${this.url}/api/v4 lists no commands. ${remedy}`);
    return new Set(listed.map((one) => String((one as { name?: unknown } | null)?.name)));
  }

  /** Whether a token is sent. */
  get hasToken(): boolean {
    return this.options.token !== undefined;
  }

  private place(command: string, { path, operation_id: operation, job_id: job }: Parameters): string {
    const of = path ?? operation ?? job;
    return `${command}${of === undefined ? '' : ` of ${of}`} at ${this.url}`;
  }

  private async answerTo(
    command: string,
    parameters: Parameters,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Exchanged> {
    const answerMs = onOperations.test(command)
      ? this.operationMs
      : (this.options.answerMs ?? usual.answerMs);
    for (let tries = 1; ; tries++) {
      try {
        return await this.once('GET', command, { ...parameters, output_format: json }, { answerMs, headers });
      } catch (error) {
        if (!isPassing(error) || tries >= mostTries) throw error;
        await delay(pauseOf(error, tries));
      }
    }
  }

  private async once(
    method: 'GET' | 'POST',
    command: string,
    parameters: Parameters,
    way: Way,
  ): Promise<Exchanged> {
    const answer = await this.send(method, `/api/v4/${command}`, parameters, way);
    const where = this.place(command, parameters);
    const { status, headers, trailers } = answer;
    const said = errorIn(headers) ?? errorIn(trailers);
    if (said !== undefined) throw this.refusal(where, status, said, headers);
    if (status >= 200 && status < 300 && !looksLikePage(answer)) return answer;
    throw this.refusal(where, status, answer.text, headers);
  }

  /** What a refused request says, with the remedy. */
  private refusal(where: string, status: number, said: string, headers: Exchanged['headers']): YtError {
    const fault = faultIn(said);
    const codes = new Set<number>();
    const messages: string[] = [];
    if (fault !== undefined) collect(fault, codes, messages);
    const retryAfter = Number(headers['retry-after']);
    const of = { status, codes, retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined };
    const words = messages.length > 0 ? messages.join(': ') : titleOf(said);
    const shown = shownOf(words);
    if (status === 401 || codes.has(ytCodes.authentication)) {
      const token = this.hasToken
        ? 'Check that the token in the file of --ytsaurus-token-file (CURTAIL_YTSAURUS_TOKEN_FILE) is valid, and of this cluster.'
        : 'Give a token: --ytsaurus-token-file FILE (CURTAIL_YTSAURUS_TOKEN_FILE).';
      return new YtError(
        'not-authenticated',
        `${where} answers ${status}, the caller is not known: ${shown}. ${token}`,
        of,
      );
    }
    if (codes.has(ytCodes.accessDenied) || (status === 403 && fault !== undefined)) {
      return new YtError(
        'forbidden',
        `${where} is refused: ${shown}. Give the user of the token that right.`,
        of,
      );
    }
    if (fault !== undefined) return new YtError('refused', `${where} answers ${status}: ${shown}`, of);
    if (status >= 300 && status < 400) {
      const to = headers.location ?? 'nowhere';
      return new YtError('redirected', `${where} redirects to ${to}, as login pages do. ${remedy}`, of);
    }
    const isPage = /html/i.test(String(headers['content-type'] ?? '')) || said.trimStart().startsWith('<');
    if (isPage)
      return new YtError(
        'no-json',
        `${where} answers ${status} with a page of HTML: ${shown}. ${remedy}`,
        of,
      );
    if (status === 403) return new YtError('forbidden', `${where} answers 403: ${shown}. ${remedy}`, of);
    return new YtError('refused', `${where} answers ${status}: ${shown}. ${remedy}`, of);
  }

  /** Another proxy is asked only if the first one has certainly not received the request. */
  private send(
    method: string,
    path: string,
    parameters: Parameters | undefined,
    way: Way,
  ): Promise<Exchanged> {
    return this.exchange.inTurn(async () => {
      for (let tried = 1; ; tried++) {
        try {
          return await this.withToken(method, path, parameters, way);
        } catch (error) {
          const isUnsent = error instanceof YtError && error.code === 'unreachable';
          if (!isUnsent || tried >= this.urls.length) throw error;
          this.active = (this.active + 1) % this.urls.length;
        }
      }
    });
  }

  private async withToken(
    method: string,
    path: string,
    parameters: Parameters | undefined,
    way: Way,
  ): Promise<Exchanged> {
    const used = this.token ?? this.readToken();
    const answer = await this.sendTo(method, path, parameters, { ...way, token: await used });
    if (answer.status !== 401 || this.options.token === undefined) return answer;
    // It may have been renewed since.
    const [before, now] = [await used, await this.readToken()];
    return now === before ? answer : this.sendTo(method, path, parameters, { ...way, token: now });
  }

  private readToken(): Promise<string> {
    const read = this.options.token?.() ?? Promise.resolve('');
    this.token = read;
    read.catch(() => {
      this.token = undefined;
    });
    return read;
  }

  private sendTo(
    method: string,
    path: string,
    parameters: Parameters | undefined,
    { answerMs, headers, token }: Way & { token: string },
  ): Promise<Exchanged> {
    const text = parameters === undefined ? undefined : JSON.stringify(parameters);
    const payload = method === 'GET' ? undefined : text;
    const target = this.targets[this.active] as RequestTarget;
    // There may be tens of thousands of requests in one look.
    const sent: Record<string, string> = {
      accept: 'application/json',
      'x-yt-correlation-id': randomUUID(),
      'x-yt-header-format': '<format=text>json',
    };
    if (headers !== undefined) Object.assign(sent, headers);
    if (token !== '') sent.authorization = `OAuth ${token}`;
    if (payload !== undefined) sent['content-type'] = 'application/json';
    else if (text !== undefined) sent['x-yt-parameters'] = inAscii(text);
    return this.exchange.send(target, `${this.url}${path}`, {
      method,
      path: pathIn(target, path),
      answerMs,
      headers: sent,
      payload,
    });
  }
}

/** How a request is sent. */
interface Way {
  answerMs: number;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** The reads of a cluster. */
export type YtReads = Pick<YtApi, 'url' | 'read' | 'readKept' | 'get' | 'find'>;

/** A change that failed, and whether it may have been carried out by an earlier try. */
export class ChangeFailed extends YtError {
  constructor(
    readonly last: YtError,
    readonly wasSentBefore: boolean,
  ) {
    super(last.code, last.message, last, { cause: last });
  }
}

function addressOf(address: string): string {
  const wanted = 'write an address such as http://yt.example, or several with commas in between';
  return httpAddress(address, wanted).replace(/\/api(\/v\d)?$/, '');
}

/** A proxy may be below a path: `https://gate.example/yt`. */
const pathIn = ({ path }: RequestTarget, below: string): string => `${path === '/' ? '' : path}${below}`;

const pauseOf = ({ retryAfterSeconds }: YtError, tries: number): number =>
  retryAfterSeconds === undefined
    ? pauseAfter(tries, retryMs)
    : Math.min(retryAfterSeconds * 1000, retryMs.longest);

/** Header values are bytes. */
const inAscii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

function errorIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  const code = Number(fields['x-yt-response-code'] ?? 0);
  const text = fields['x-yt-error'];
  if (typeof text !== 'string') return code === 0 ? undefined : `{"code": ${code}}`;
  return code !== 0 || faultIn(text)?.code ? text : undefined;
}

interface Fault {
  code?: unknown;
  message?: unknown;
  inner_errors?: unknown;
}

function faultIn(text: string): Fault | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && 'code' in value ? (value as Fault) : undefined;
  } catch {
    return undefined;
  }
}

const deepest = 32;

function collect(
  { code, message, inner_errors: inner }: Fault,
  codes: Set<number>,
  messages: string[],
  depth = 0,
): void {
  if (typeof code === 'number') codes.add(code);
  if (typeof message === 'string' && message !== '') messages.push(message);
  if (!Array.isArray(inner) || depth >= deepest) return;
  for (const one of inner) if (isObject(one)) collect(one as Fault, codes, messages, depth + 1);
}

/** Without a copy: long answers come again and again. */
function isSameBody(body: Buffer, chunks: readonly Buffer[]): boolean {
  let at = 0;
  for (const chunk of chunks) {
    if (body.length < at + chunk.length || chunk.compare(body, at, at + chunk.length) !== 0) return false;
    at += chunk.length;
  }
  return at === body.length;
}

const looksLikePage = ({ headers, chunks }: Exchanged): boolean =>
  /html/i.test(String(headers['content-type'] ?? '')) ||
  /^\s*<(!doctype|html)/i.test(chunks[0]?.toString('utf8', 0, 200) ?? '');

const titleOf = (text: string): string => /<title>([^<]*)<\/title>/i.exec(text)?.[1]?.trim() || text.trim();

const shownOf = (text: string): string =>
  JSON.stringify(text.replaceAll(/\s+/g, ' ').slice(0, shownCharacters));

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new YtError(
      'no-json',
      `${where} answers 200, but with something that is no JSON, or with the beginning of one: ${shownOf(text)}. ${remedy}`,
      { status: 200 },
    );
  }
}
