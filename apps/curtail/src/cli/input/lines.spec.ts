import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readLines } from './lines.js';

async function linesOf(chunks: (string | Buffer)[], limitBytes?: number) {
  const lines = [];
  for await (const line of readLines(Readable.from(chunks), limitBytes)) lines.push(line);
  return lines;
}

describe('the lines of a stream', () => {
  it('are the same however the stream is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' ', '{') })),
        fc.integer({ min: 1, max: 7 }),
        async (texts, size) => {
          const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
          const chunks = [];
          for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
          const lines = await linesOf(chunks);
          expect(lines.map(({ text }) => text)).toEqual(texts);
          expect(lines.map(({ number }) => number)).toEqual(texts.map((_, index) => index + 1));
          expect(lines.at(-1)?.bytes ?? 0).toBe(bytes.length);
        },
      ),
    );
  });

  it('end with or without a newline, and empty ones count', async () => {
    expect((await linesOf(['a\n\nb'])).map(({ text }) => text)).toEqual(['a', '', 'b']);
    expect((await linesOf(['a\n'])).map(({ text }) => text)).toEqual(['a']);
    expect(await linesOf([''])).toEqual([]);
  });

  it('that are too long are left out, and the next one is read', async () => {
    const lines = await linesOf(['aaaa', 'aaaa', 'aaaa\nbb\n', 'cccccc\ndddd'], 5);
    expect(lines.map(({ text }) => text)).toEqual([undefined, 'bb', undefined, 'dddd']);
  });

  it('are read without the byte order mark', async () => {
    expect((await linesOf([Buffer.from('\ufeff{}\n\ufeffx')])).map(({ text }) => text)).toEqual([
      '{}',
      '\ufeffx',
    ]);
  });
});
