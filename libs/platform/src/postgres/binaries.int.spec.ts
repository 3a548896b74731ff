import { cp, mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { bundledFolder, findBinaries, restoreLinks } from './binaries.js';
import { startEmbeddedPostgres } from './index.js';

const quiet = () => undefined;

describe('the programs of PostgreSQL', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('are reported missing in a folder without them, with the remedy', async () => {
    const start = startEmbeddedPostgres({ dataDir: join(folder.path, 'data'), binDir: folder.path });
    await expect(start).rejects.toThrow(
      new RegExp(`no working PostgreSQL in ${folder.path}.*Correct CURTAIL_PG_BIN`, 's'),
    );
  });

  it.each([
    ['postgres (PostgreSQL) 14.2', /is postgres \(PostgreSQL\) 14\.2; 15 or newer is needed/],
    ['something else', /is something else; 15 or newer is needed/],
  ])('are refused when they report the version %s', async (version, message) => {
    for (const name of ['initdb', 'postgres']) {
      await writeFile(join(folder.path, name), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
    }
    await expect(findBinaries(folder.path, undefined, quiet)).rejects.toThrow(message);
  });

  it('refuse data of another major version, and leave them unchanged', async () => {
    const dataDir = join(folder.path, 'data');
    await mkdir(join(dataDir, 'cluster'), { recursive: true });
    await writeFile(join(dataDir, 'cluster', 'PG_VERSION'), '12\n');
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(
      /made by PostgreSQL 12, but .* is PostgreSQL 18\.\nSet CURTAIL_PG_BIN to the bin folder of PostgreSQL 12.*docs\/how-to\/back-up-and-restore\.md/,
    );
    expect(await readFile(join(dataDir, 'cluster', 'PG_VERSION'), 'utf8')).toBe('12\n');
  });

  it('get the library links that an install without scripts omits, however often they are requested', async () => {
    const native = bundledFolder();
    const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as {
      source: string;
      target: string;
    }[];
    const copy = join(folder.path, 'native');
    await cp(join(native, 'pg-symlinks.json'), join(copy, 'pg-symlinks.json'));
    for (const { target } of links) await mkdir(dirname(join(folder.path, target)), { recursive: true });
    await restoreLinks(copy);
    await restoreLinks(copy);
    for (const { source, target } of links) {
      expect(await readlink(join(folder.path, target))).toBe(source.split('/').at(-1));
    }
    expect(links.length).toBeGreaterThan(0);
    await rm(copy, { recursive: true });
  });
});
