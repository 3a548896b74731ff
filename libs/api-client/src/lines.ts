import { AnswerError } from './problem-error.js';

/** Characters of the longest line: a result may list many plans. */
const longestLine = 256 * 1024 * 1024;

/** The JSON values of a stream with one on each line. @throws AnswerError for a line that is not JSON, or is too long. */
export async function* jsonLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<unknown, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const [first = '', ...lines] = decoder.decode(value, { stream: !done }).split('\n');
      parts.push(first);
      length += first.length;
      if (length > longestLine) throw new AnswerError('too-long', 'a line of the answer is too long');
      for (const line of lines) {
        yield* parsed(parts.join(''));
        parts = [line];
        length = line.length;
      }
      if (done) return yield* parsed(parts.join(''));
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function* parsed(line: string): Generator<unknown> {
  if (line.trim() === '') return;
  try {
    yield JSON.parse(line);
  } catch {
    throw new AnswerError('not-json', 'the answer is not JSON');
  }
}
