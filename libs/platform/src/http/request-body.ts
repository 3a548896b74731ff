import type { Request, RequestHandler, Response } from 'express';
import { decodedText, InputError } from '#contracts';
import { digestOfContent } from '../access/passed-on.js';
import { ProblemException } from '../problems/problem.js';
import { assertNoNulInText } from '../problems/refused-input.js';
import { builtProgram, type ThreadProgram } from '../threads/thread.js';
import { CallerPlaces } from '../threads/turns.js';
import { WorkInThread } from '../threads/work-in-thread.js';
import { knownOf } from './caller.js';
import { type CallingClient, callerOf, callingClientOf, onceClosed } from './client.js';
import { isLikeKnownJson } from './known-json.js';
import {
  assertStorableJson,
  checkJson,
  type JsonAnswer,
  type JsonQuestion,
  JsonText,
  parseJson,
} from './parse-json.js';
import { mayBeLong, mostValues, readBody, shortBodyBytes, takesText } from './read-body.js';

const json = /^application\/(?:json|[a-z0-9.-]+\+json)$/;
const plainText =
  /^(?:text\/(?:plain|xml|yaml|x-yaml|vnd\.yaml)|application\/(?:xml|yaml|x-yaml|x-yt-yson-(?:text|pretty)|[a-z0-9.-]+\+(?:xml|yaml)))$/;
const acceptedTexts = 'application/json, application/yaml, application/xml or text/plain';

export interface BodyLimits {
  /** Of routes whose bodies may be long; others have 64 KB at most. */
  bodyLimitBytes: number;
  jsonDepthLimit: number;
}

/** Long bodies that this process holds at once. */
const longAtOnce = { all: 16, kept: 8, each: 2 };
/** Fewer bytes than a value of any long body has on average: a text of more values would take up memory as nothing else does. */
const bytesOfValue = 8;

/**
 * Converts the body of a request to `request.body`: JSON parsed, long JSON checked as `JsonText`, YAML, XML, YSON and plain text as the text
 * that was sent. Compressed bodies are refused: their uncompressed size is not known in advance.
 */
export function readRequestBody(limits: BodyLimits, checking = new JsonInThread()): RequestHandler {
  const places = new CallerPlaces(longAtOnce);
  return (request, response, next) => {
    if (!hasBody(request)) return next(refusedContent(request, response, ''));
    bodyOf(request, response, { ...limits, places, checking }).then((body) => {
      request.body = body;
      next();
    }, next);
  };
}

function hasBody({ headers, method }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function bodyOf(
  request: Request,
  response: Response,
  {
    bodyLimitBytes,
    jsonDepthLimit,
    places,
    checking,
  }: BodyLimits & { places: CallerPlaces; checking: JsonInThread },
): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (!json.test(type) && !plainText.test(type)) throw unknownType(type, takesText(request));
  if (!json.test(type) && !takesText(request)) throw jsonAlone(type);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw compressed();
  const isLongRoute = mayBeLong(request) && bodyLimitBytes > shortBodyBytes;
  // Without an announced size, any may follow.
  const announced = Number(request.headers['content-length'] ?? bodyLimitBytes);
  if (isLongRoute && announced > shortBodyBytes) takePlace(places, response);
  const limit = isLongRoute ? bodyLimitBytes : Math.min(bodyLimitBytes, shortBodyBytes);
  const bytes = await readBody(request, response, limit);
  const refused = refusedContent(request, response, bytes);
  if (refused !== undefined) throw refused;
  const text = decode(bytes);
  if (plainText.test(type)) {
    assertNoNulInText(text);
    return text;
  }
  if (text.length > shortBodyBytes) {
    const values = mostValues(request) ?? Math.floor(bodyLimitBytes / bytesOfValue);
    const question = { text, depth: jsonDepthLimit, values };
    return checking.check(question, callingClientOf(response), takesText(request));
  }
  const value = parseJson(text, { depth: jsonDepthLimit });
  assertStorableJson(text, value);
  return value;
}

/** The refusal of a request whose credential is for another content. */
function refusedContent(
  { headers }: Request,
  response: Response,
  body: string | Uint8Array,
): ProblemException | undefined {
  const wanted = knownOf(response)?.content;
  if (wanted === undefined || wanted === digestOfContent({ headers, body })) return undefined;
  return new ProblemException({
    code: 'unauthorized',
    title: 'Token required',
    status: 401,
    detail: 'The request has another content than the one that its caller was passed on with.',
    remedy: 'Find out who changes requests between the services, and use TLS there.',
  });
}

/** Until the answer is sent: the body is held until then. @throws ProblemException */
function takePlace(places: CallerPlaces, response: Response): void {
  const leave = places.take(callerOf(response, response.req));
  if (typeof leave === 'string') throw tooManyLong(leave);
  onceClosed(response, leave);
}

function tooManyLong(reached: 'each' | 'all'): ProblemException {
  return new ProblemException(
    {
      code: reached === 'all' ? 'busy' : 'too-many-at-once',
      title: 'Too many long bodies at once',
      status: reached === 'all' ? 503 : 429,
      detail:
        reached === 'all'
          ? `This process holds as many bodies of more than ${shortBodyBytes} bytes as it may.`
          : `${longAtOnce.each} bodies of more than ${shortBodyBytes} bytes of this caller are being handled.`,
      remedy: 'Send the request again in a few seconds.',
      retryAfterSeconds: 5,
    },
    { 'Retry-After': '5' },
  );
}

function decode(bytes: Buffer): string {
  try {
    return decodedText(bytes, { fatal: true });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError('', `The body cannot be read: ${error.message}.`);
  }
}

function unknownType(type: string, isText: boolean): ProblemException {
  return unsupported(
    type ? `Bodies of type ${type.slice(0, 80)} are not supported.` : 'The body has no Content-Type.',
    isText ? acceptedTexts : 'application/json',
  );
}

function jsonAlone(type: string): ProblemException {
  const detail = `This route takes JSON alone, and the body is sent as ${type}; only configurations may have other types.`;
  return unsupported(detail, 'application/json');
}

function unsupported(detail: string, accepted: string): ProblemException {
  return new ProblemException({
    code: 'unknown-body-type',
    title: 'Unsupported content type',
    status: 415,
    detail,
    remedy: `Send it with a Content-Type of ${accepted}.`,
  });
}

function compressed(): ProblemException {
  return new ProblemException({
    code: 'compressed-body',
    title: 'Compressed bodies are not supported',
    status: 415,
    detail: 'Compressed bodies are not accepted.',
    remedy: 'Send the body as it is, without a Content-Encoding.',
  });
}

/** Parsing the longest body takes some ten seconds of a busy machine, and a gigabyte. */
const limits = { seconds: 60, megabytes: 2048 };

/** Checks long texts of JSON in threads: parsing one takes seconds, in which no stop would be answered. */
export class JsonInThread {
  private readonly work: WorkInThread<JsonQuestion, JsonAnswer>;
  /** The last configuration: the next one often differs in a few values. */
  private known: string | undefined;

  constructor(program: ThreadProgram | undefined = builtProgram('json-thread', import.meta.url)) {
    const tooLong = 'Send less at once.';
    this.work = new WorkInThread(
      { what: 'body', remedies: { tooLong, tooLarge: tooLong } },
      limits,
      checkJson,
      program,
    );
  }

  /**
   * @param isConfiguration the same limits hold for all of them.
   * @throws InputError with line and column, if the parser reports them; ProblemException as `WorkInThread.run`.
   */
  async check(question: JsonQuestion, client: CallingClient, isConfiguration = false): Promise<JsonText> {
    const isKnown =
      isConfiguration && this.known !== undefined && isLikeKnownJson(question.text, this.known, question);
    // A thread that has parsed a long text keeps its memory while it is idle.
    const answer = isKnown ? question : await this.work.run((ask) => ask(question, true), client);
    if ('text' in answer) {
      if (isConfiguration) this.known = answer.text;
      return new JsonText(answer.text);
    }
    const { path, message, line, column } = answer.fault;
    throw new InputError(path, message, line, column);
  }
}
