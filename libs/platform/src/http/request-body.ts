import { decodedText, InputError } from '@curtail/contracts';
import type { Request, RequestHandler, Response } from 'express';
import { ProblemException } from '../problems/problem-exception.js';
import { parseJson } from './parse-json.js';
import { readBody } from './read-body.js';
import { assertNoNulInText, assertStorableJson } from './storable-input.js';

const json = /^application\/(?:json|[a-z0-9.-]+\+json)$/;
const plainText =
  /^(?:text\/(?:plain|xml|yaml|x-yaml|vnd\.yaml)|application\/(?:xml|yaml|x-yaml|x-yt-yson-(?:text|pretty)|[a-z0-9.-]+\+(?:xml|yaml)))$/;
const accepted = 'application/json, application/yaml, application/xml or text/plain';

export interface BodyLimits {
  bodyLimitBytes: number;
  jsonDepthLimit: number;
}

/**
 * Converts the body of a request to `request.body`: JSON parsed, YAML, XML, YSON and plain text as the text that was sent.
 * Compressed bodies are refused: their uncompressed size is not known in advance.
 */
export function readRequestBody(limits: BodyLimits): RequestHandler {
  return (request, response, next) => {
    if (!hasBody(request)) return next();
    bodyOf(request, response, limits).then((body) => {
      request.body = body;
      next();
    }, next);
  };
}

function hasBody({ headers, method }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

async function bodyOf(request: Request, response: Response, limits: BodyLimits): Promise<unknown> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (!json.test(type) && !plainText.test(type)) throw unknownType(type);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw compressed();
  const text = decode(await readBody(request, response, limits.bodyLimitBytes));
  if (plainText.test(type)) {
    assertNoNulInText(text);
    return text;
  }
  const value = parseJson(text, limits.jsonDepthLimit);
  assertStorableJson(text, value);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return decodedText(bytes, { fatal: true });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError('', `The body cannot be read: ${error.message}.`);
  }
}

function unknownType(type: string): ProblemException {
  return new ProblemException({
    code: 'unknown-body-type',
    title: 'Unsupported content type',
    status: 415,
    detail: type ? `Bodies of type ${type.slice(0, 80)} are not supported.` : 'The body has no Content-Type.',
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
