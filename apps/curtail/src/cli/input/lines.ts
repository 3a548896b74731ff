import type { Readable } from 'node:stream';
import { inputLimits } from './source.js';

/** One line of a stream without its terminator; `text` is undefined if the line exceeds the limit. */
export interface Line {
  /** From 1. */
  number: number;
  text: string | undefined;
  /** Bytes read so far, for a progress bar. */
  bytes: number;
}

const newline = 0x0a;

/**
 * Yields the lines of a stream one at a time, so that memory is bounded by one line. A line that is too long is skipped as it
 * arrives.
 */
export async function* readLines(
  stream: Readable,
  limitBytes: number = inputLimits.lineBytes,
): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let held = 0;
  let tooLong = false;
  let number = 0;
  let bytes = 0;

  const keep = (part: Buffer) => {
    held += part.length;
    if (held > limitBytes) {
      tooLong = true;
      parts = [];
    } else if (part.length > 0) {
      parts.push(part);
    }
  };
  const take = (): Line => {
    const text = tooLong
      ? undefined
      : (parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)).toString();
    parts = [];
    held = 0;
    tooLong = false;
    return {
      number: ++number,
      text: number === 1 && text?.startsWith('\ufeff') ? text.slice(1) : text,
      bytes,
    };
  };

  for await (const received of stream) {
    const chunk = typeof received === 'string' ? Buffer.from(received) : (received as Buffer);
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      bytes += end + 1 - start;
      start = end + 1;
      yield take();
    }
    keep(chunk.subarray(start));
    bytes += chunk.length - start;
  }
  if (held > 0) yield take();
}
