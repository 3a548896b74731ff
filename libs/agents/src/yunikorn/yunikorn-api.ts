import { addAbortSignal, Readable } from 'node:stream';
import { CurtailError } from '#contracts';
import { within } from '#waiting';
import { httpAddress } from '../http-exchange.js';
import { linesOf } from '../kubernetes/lines.js';

const answerMs = 10_000;
const largestAnswer = 256 * 1024 * 1024;
const largestEvent = 1024 * 1024;

/** YuniKorn gave no usable answer. */
export class YunikornError extends CurtailError {
  readonly code = 'yunikorn-unusable';
}

/** HTTP to the REST API of one YuniKorn. */
export class YunikornApi {
  private constructor(
    /** Without a slash at the end. */
    readonly url: string,
  ) {}

  /** @throws InputError unless it is an address of HTTP. */
  static open(address: string): YunikornApi {
    return new YunikornApi(
      httpAddress(address, 'write an address such as http://yunikorn-service.yunikorn:9080'),
    );
  }

  /** @throws YunikornError unless the answer is JSON. */
  async json(path: string, signal?: AbortSignal): Promise<unknown> {
    return parsed(await this.text(path, { signal }), `${this.url}${path}`);
  }

  /** @throws YunikornError unless it is a success. */
  async text(path: string, { signal, body }: { signal?: AbortSignal | undefined; body?: string } = {}) {
    let what = `YuniKorn cannot be reached at ${this.url}${path}`;
    try {
      return await within({ ms: answerMs, signals: [signal] }, async (limit) => {
        const response = await this.send(path, limit, body);
        what = `the answer of ${this.url}${path} broke off`;
        return textOf(response, `${this.url}${path}`, limit);
      });
    } catch (error) {
      throw asYunikornError(error, what);
    }
  }

  /** Asks YuniKorn to validate a configuration. @returns undefined if it accepts it, otherwise the reason. */
  async refusal(configuration: string, signal?: AbortSignal): Promise<string | undefined> {
    const path = '/ws/v1/validate-conf';
    const answer = parsed(await this.text(path, { signal, body: configuration }), `${this.url}${path}`);
    const { allowed, reason } = (answer ?? {}) as { allowed?: unknown; reason?: unknown };
    if (allowed === true) return undefined;
    return typeof reason === 'string' && reason !== '' ? reason : 'it gives no reason';
  }

  /**
   * Calls `onEvent` for every event of YuniKorn from now on, until the stream or `signal` ends.
   *
   * @throws YunikornError if there is no stream: YuniKorn can be configured to keep no events.
   */
  async follow(onEvent: () => void, signal: AbortSignal): Promise<void> {
    const path = '/ws/v1/events/stream?count=0';
    const opened = within({ ms: answerMs, signals: [signal] }, (limit) => this.send(path, limit));
    const response = await opened.catch((error) => {
      throw asYunikornError(error, `YuniKorn cannot be reached at ${this.url}${path}`);
    });
    try {
      for await (const _ of linesOf(bodyOf(response, signal), largestEvent)) onEvent();
    } catch (error) {
      if (!signal.aborted) throw asYunikornError(error, `the stream of ${this.url}${path} broke off`);
    }
  }

  private async send(path: string, signal: AbortSignal, body?: string): Promise<Response> {
    const response = await fetch(`${this.url}${path}`, {
      signal,
      redirect: 'error',
      ...(body !== undefined && { method: 'POST', body }),
    });
    if (response.ok) return response;
    const text = await textOf(response, `${this.url}${path}`, signal).catch(() => '');
    throw new YunikornError(
      `YuniKorn answered ${response.status} to ${this.url}${path}: ${messageOf(text).slice(0, 500)}`,
    );
  }
}

/** `fetch` may have lost its signal by now; this one closes the connection. */
function bodyOf({ body }: Response, signal: AbortSignal): Readable {
  const stream = body === null ? Readable.from([]) : Readable.fromWeb(body as never);
  return addAbortSignal(signal, stream);
}

async function textOf(response: Response, place: string, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyOf(response, signal) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > largestAnswer)
      throw new YunikornError(`the answer of ${place} is above ${largestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new YunikornError(
      `what answers at ${place} is not YuniKorn: it sends no JSON, but ${JSON.stringify(text.slice(0, 60))}`,
    );
  }
}

/** Errors of YuniKorn are `{"status_code","message","description"}`. */
function messageOf(text: string): string {
  try {
    const { message, description } = JSON.parse(text) as { message?: string; description?: string };
    return String(message ?? description ?? text);
  } catch {
    return text.trim() || 'no reason given';
  }
}

function asYunikornError(error: unknown, what: string): YunikornError {
  if (error instanceof YunikornError) return error;
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const why = name === 'TimeoutError' || name === 'AbortError' ? 'no answer in time' : message;
  return new YunikornError(`${what}: ${cause?.code ?? cause?.message ?? why}`);
}
