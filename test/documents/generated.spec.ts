import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { commandDocuments } from '../../scripts/documents/command-documents.js';
import { documents } from '../../scripts/documents/documents.js';

describe('documents that are made from the code', () => {
  it('are what the code makes now: if not, run `npm run docs` and check the difference', async () => {
    const made = { ...(await documents()), ...(await commandDocuments()), ...(await chartFiles()) };
    for (const [name, text] of Object.entries(made)) {
      expect({ name, text: readFileSync(name, 'utf8') }).toEqual({ name, text });
    }
  });

  it('have the types of the client, made from the description of the API as it is', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/client-types.mjs'], {
      maxBuffer: 16 * 1024 * 1024,
    });
    expect(readFileSync('libs/api-client/src/generated/openapi.ts', 'utf8')).toBe(stdout);
  });
});

/** Plain Node, which the scripts run without a build. */
async function chartFiles(): Promise<Record<string, string>> {
  const steps = join(process.cwd(), 'scripts/steps/chart-files.mjs');
  return ((await import(steps)) as { chartFiles(): Record<string, string> }).chartFiles();
}
