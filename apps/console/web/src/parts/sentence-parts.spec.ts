import { expect, it } from '@jest/globals';
import { sentenceText } from './sentence-parts.js';

it('leaves no time of a sentence in UTC', () => {
  for (const time of ['2026-11-28T04:19:35.259Z', '2026-11-28T04:19:35Z', '2026-11-28T04:19Z'])
    expect(sentenceText(`Run e-1 is due at ${time}, and waits.`)).toMatch(
      /^Run e-1 is due at (?!2026-).+, and waits\.$/,
    );
});
