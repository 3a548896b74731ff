import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openHome } from './data-home.js';
import { PostgresStartError } from './postgres-start-error.js';

describe('a data folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-home-'));
    await writeFile(join(folder, 'file'), '');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const opened = (path: string) => openHome(path, () => {}).catch((error: unknown) => error);

  it('is made with those above it', async () => {
    const path = join(folder, 'a', 'b');
    expect(await opened(path)).not.toBeInstanceOf(Error);
    expect(existsSync(path)).toBe(true);
    expect(await opened(path)).not.toBeInstanceOf(Error);
  });

  it.each([
    ['where the system makes no folder', '/proc/curtail/data'],
    ['below a file', 'file/data'],
    ['that is a file', 'file'],
  ])('%s is refused', async (_, path) => {
    const error = await opened(path.startsWith('/') ? path : join(folder, path));
    expect(error).toBeInstanceOf(PostgresStartError);
    expect((error as Error).message).toMatch(/^The data folder \S+ cannot be used: /);
  });
});
