import http from 'node:http';
import https from 'node:https';
import type { urlToHttpOptions } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { InputError } from '#contracts';

/** Limits of the requests to one cluster. */
export interface ExchangeLimits {
  /** Milliseconds for one answer, from the request to its last byte. */
  answerMs: number;
  /** Bytes of one answer. */
  largestAnswer: number;
  /** Requests at the same time. */
  atOnce: number;
}

export interface ExchangeOptions extends ExchangeLimits {
  secure: boolean;
  /** The certificates of a private authority, in PEM; with `secure` only. */
  ca?: string | undefined;
  /** Makes the error for an answer that did not come. */
  failure: (code: ExchangeFailure, message: string) => Error;
}

/**
 * Why there is no answer. `unreachable`: certainly nothing was sent; the others leave open whether the request was carried out. `message`
 * names the address.
 */
export type ExchangeFailure = 'unreachable' | 'no-answer' | 'too-large';

/** Whether an address is unreachable since its certificate is of an unknown authority: the message has the code of OpenSSL. */
export const isOfCertificate = (message: string): boolean => /CERT|SELF_SIGNED|SIGNATURE/.test(message);

export interface Exchanged {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** What came after the body, by names in lower case. */
  trailers: Readonly<Record<string, string | undefined>>;
  /** The body as it came, which may be compressed. */
  readonly chunks: readonly Buffer[];
  /** The body as UTF-8. Throws what `failure` makes where it cannot be read. */
  readonly text: string;
}

/** An address in the form that requests take, without reading it again for each. */
export type RequestTarget = ReturnType<typeof urlToHttpOptions>;

export interface ExchangeRequest {
  method: string;
  /** In place of that of the target. */
  path?: string;
  headers?: Readonly<Record<string, string>>;
  payload?: string | undefined;
  /** In place of `answerMs`. */
  answerMs?: number;
}

/** HTTP requests with limits: an answer that is late, broken off or too large is an error, and so never an empty one. */
export class HttpExchange {
  private underWay = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly agent: http.Agent;

  constructor(private readonly options: ExchangeOptions) {
    const { secure, ca, atOnce } = options;
    const kept = { keepAlive: true, maxSockets: atOnce };
    this.agent = secure
      ? new https.Agent({ ...kept, ...(ca !== undefined && { ca }) })
      : new http.Agent(kept);
  }

  close(): void {
    this.agent.destroy();
  }

  /** Runs work when it is its turn: no more than `atOnce` pieces run at the same time. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    while (this.underWay >= this.options.atOnce) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.underWay++;
    try {
      return await work();
    } finally {
      this.underWay--;
      this.waiting.shift()?.();
    }
  }

  /**
   * One request, at once.
   *
   * @param shown the address for messages, without secrets.
   * @throws what `failure` makes.
   */
  send(
    target: RequestTarget,
    shown: string,
    {
      method,
      path = target.path as string,
      answerMs = this.options.answerMs,
      headers,
      payload,
    }: ExchangeRequest,
  ): Promise<Exchanged> {
    const { failure, largestAnswer } = this.options;
    const length = payload === undefined ? undefined : Buffer.byteLength(payload);
    const { request } = target.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      let isSent = false;
      const fail = (code: ExchangeFailure, message: string) => {
        clearTimeout(timer);
        reject(failure(code, message));
        call.destroy();
      };
      const call = request(
        {
          protocol: target.protocol,
          hostname: target.hostname,
          port: target.port,
          path,
          method,
          agent: this.agent,
          headers: length === undefined ? headers : { ...headers, 'content-length': length },
        },
        (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > largestAnswer) {
              fail('too-large', `the answer of ${shown} is above ${largestAnswer} bytes`);
            } else chunks.push(chunk);
          });
          response.on('end', () => {
            clearTimeout(timer);
            if (!response.complete) {
              fail('no-answer', `the answer of ${shown} broke off after ${bytes} bytes`);
              return;
            }
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              trailers: response.trailers,
              chunks,
              // A long answer may be compared, and not read.
              get text() {
                return textOf(chunks, response.headers['content-encoding'], {
                  shown,
                  largestAnswer,
                  failure,
                });
              },
            });
          });
          response.on('error', (error) =>
            fail('no-answer', `the answer of ${shown} broke off: ${error.message}`),
          );
        },
      );
      const timer = setTimeout(
        () => fail('no-answer', `${shown} has not answered in ${answerMs / 1000} s`),
        answerMs,
      );
      call.on('socket', (socket) => {
        if (!socket.connecting) isSent = true;
        else socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => (isSent = true));
      });
      call.on('error', (error: NodeJS.ErrnoException) => {
        // Before the connection is there, nothing has been sent.
        const why = error.code ?? error.message;
        if (isSent) fail('no-answer', `the answer of ${shown} broke off: ${why}`);
        else fail('unreachable', `${new URL(shown).origin} cannot be reached: ${why}`);
      });
      call.end(payload);
    });
  }
}

/** @throws what `failure` makes for a body that is truncated or invalid gzip, is too large, or has a coding that was not requested. */
function textOf(
  chunks: readonly Buffer[],
  coding: string | undefined,
  { shown, largestAnswer, failure }: Pick<ExchangeOptions, 'largestAnswer' | 'failure'> & { shown: string },
): string {
  const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  if (coding === undefined || coding === 'identity' || body.length === 0) return body.toString('utf8');
  if (coding !== 'gzip') {
    throw failure('no-answer', `the answer of ${shown} has the coding ${coding}, which was not asked for`);
  }
  try {
    return gunzipSync(body, { maxOutputLength: largestAnswer }).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === 'ERR_BUFFER_TOO_LARGE'
      ? failure('too-large', `the answer of ${shown} is above ${largestAnswer} bytes`)
      : failure('no-answer', `the answer of ${shown} broke off: its gzip is not whole (${message})`);
  }
}

/**
 * The address of an HTTP API, without slashes at the end.
 *
 * @param remedy completes the error for anything else, such as `write an address such as http://rm.example:8088`.
 * @throws InputError
 */
export function httpAddress(address: string, remedy: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) throw new InputError('url', remedy);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new InputError('url', 'an address without name, password, ? and # is expected');
  }
  return url.href.replace(/\/+$/, '');
}
