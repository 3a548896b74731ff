import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { ProblemException } from '../problems/problem.js';

/**
 * Reads the body of a request, and never holds more than its limit. A body that announces its size is refused before a
 * byte is read; `Expect: 100-continue` is granted only here, so that a refused one is not even sent.
 * @throws ProblemException 413, or 400 when the connection is lost on the way.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
  if (request.destroyed) throw cutShort();
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let seenBytes = 0;
  return await new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      // The error listener stays: a late error must not end the process.
      request.off('data', keep).off('end', end).off('close', fail);
      act();
    };
    const keep = (chunk: Buffer) => {
      seenBytes += chunk.length;
      if (seenBytes <= limitBytes) chunks.push(chunk);
      else settle(() => reject(tooLarge(limitBytes)));
    };
    const end = () => settle(() => resolve(Buffer.concat(chunks, seenBytes)));
    const fail = () => settle(() => reject(cutShort()));
    request.on('data', keep).once('end', end).on('error', fail).once('close', fail);
  });
}

function tooLarge(limitBytes: number): ProblemException {
  return new ProblemException({
    code: 'body-too-large',
    title: 'Body too large',
    status: 413,
    detail: `The body is larger than ${limitBytes} bytes.`,
    remedy:
      limitBytes === shortBodyBytes
        ? 'Send less at once; only configurations and snapshots may be larger.'
        : 'Send less at once.',
    limitBytes,
  });
}

function cutShort(): ProblemException {
  return new ProblemException({
    code: 'body-cut-short',
    title: 'Body cut short',
    status: 400,
    detail: 'The connection ended before the body did.',
    remedy: 'Send the request again.',
  });
}

/** The longest body of a command, of an answer of an owner, and of every other route that has no long ones. */
export const shortBodyBytes = 64 * 1024;

/** Configurations are texts in the format of their scheduler, or JSON; every other body is JSON alone. */
const configurations = /^\/v1\/partitions\/[^/]+\/(?:queues\/[^/]+\/)?config\/?$/i;
const whatIf = /^\/v1\/what-if\/?$/i;

/** Routes whose bodies may be as long as the settings permit: configurations, and snapshots of a cluster. */
const long: Readonly<Record<string, readonly RegExp[]>> = {
  PUT: [configurations],
  POST: [whatIf, /^\/v1\/plans\/preview\/?$/i, /^\/v1\/partitions\/[^/]+\/simulated\/scenario\/?$/i],
};

/** More values of a comparison than any has: its configurations are texts, however long. Each is checked where stops are answered. */
const mostWhatIfValues = 100_000;

type Addressed = Pick<Request, 'method' | 'path'>;

/** Whether the body of a request may be long. */
export const mayBeLong = ({ method, path }: Addressed): boolean =>
  long[method]?.some((route) => route.test(path)) ?? false;

/** Whether the body of a request may be a text that is not JSON. */
export const takesText = ({ method, path }: Addressed): boolean =>
  method === 'PUT' && configurations.test(path);

/** How many values the JSON of a request may have; undefined: as many as the longest body may hold. */
export const mostValues = ({ method, path }: Addressed): number | undefined =>
  method === 'POST' && whatIf.test(path) ? mostWhatIfValues : undefined;
