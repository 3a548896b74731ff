import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { documents } from '../../apps/curtail/src/start/documents.js';

describe('documents that are made from the code', () => {
  it('are what the code makes now: if not, run `npm run docs` and check the difference', async () => {
    for (const [name, text] of Object.entries(await documents())) {
      expect({ name, text: readFileSync(name, 'utf8') }).toEqual({ name, text });
    }
  });
});
