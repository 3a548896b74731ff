import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemException } from '../problems/problem-exception.js';
import { shortBodyBytes } from './body-routes.js';

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
        : 'Send less at once, or raise CURTAIL_BODY_LIMIT_BYTES.',
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
