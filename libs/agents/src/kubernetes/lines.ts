import type { Readable } from 'node:stream';
import { KubernetesError } from './kubernetes-error.js';

/** Yields the lines of a byte stream. @throws Error if one is longer than `longest` bytes. */
export async function* linesOf(stream: Readable, longest: number): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let held = 0;
  for await (const chunk of stream) {
    let from = 0;
    const bytes = chunk as Buffer;
    for (let end = bytes.indexOf(10, from); end >= 0; end = bytes.indexOf(10, from)) {
      rest.push(bytes.subarray(from, end));
      yield Buffer.concat(rest).toString('utf8');
      rest = [];
      held = 0;
      from = end + 1;
    }
    if (from < bytes.length) rest.push(bytes.subarray(from));
    held += bytes.length - from;
    if (held > longest) throw new KubernetesError('answer-too-long', `a line is above ${longest} bytes`);
  }
  if (rest.length > 0) yield Buffer.concat(rest).toString('utf8');
}
