import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { query } from '../../../../test/support/query.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { serverAccount } from './account.js';
import { bundledFolder } from './binaries.js';
import { copyForAccount } from './binaries-copy.js';
import { startEmbeddedPostgres } from './index.js';

const asRoot = process.getuid?.() === 0 ? describe : describe.skip;

asRoot('started by root', () => {
  let closed: Awaited<ReturnType<typeof temporaryFolder>>;
  const alsoRemove: string[] = [];
  beforeEach(async () => {
    closed = await temporaryFolder(0o700);
  });
  afterEach(async () => {
    await closed.remove();
    for (const path of alsoRemove.splice(0)) await rm(path, { recursive: true, force: true });
  });

  it('the server runs as another account, which owns its folder', async () => {
    await chmod(closed.path, 0o711);
    const server = await startEmbeddedPostgres({ dataDir: closed.path, durable: false });
    const { uid } = await stat(join(server.folder, 'cluster'));
    expect(uid).not.toBe(0);
    expect((await stat(`/proc/${server.pid}`)).uid).toBe(uid);
    await server.stop();
  });

  it('data that the account cannot reach live in a folder of the system, with a line in the log, and are found again', async () => {
    const lines: string[] = [];
    const options = { dataDir: closed.path, durable: false, log: (line: string) => lines.push(line) };
    const first = await startEmbeddedPostgres(options);
    alsoRemove.push(first.folder);
    expect(dirname(first.folder)).toBe('/var/lib/curtail');
    expect(lines).toContainEqual(
      expect.stringContaining(`cannot enter ${closed.path}; the data are in ${first.folder}`),
    );
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS seven');
    await first.stop();

    const second = await startEmbeddedPostgres(options);
    expect(second.folder).toBe(first.folder);
    expect(await query(second.url, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
    await second.stop();
  });

  it('programs that the account cannot reach are copied once, completely, and readable for all', async () => {
    const account = await serverAccount();
    const lines: string[] = [];
    const copy = await copyForAccount(bundledFolder(), account!, (line) => lines.push(line));
    expect((await stat(join(copy, 'bin', 'postgres'))).mode & 0o777).toBe(0o755);
    expect(await readFile(join(copy, 'pg-symlinks.json'))).toEqual(
      await readFile(join(bundledFolder(), 'pg-symlinks.json')),
    );
    const kept = await readdir(dirname(copy));
    const copied = lines.length;
    expect(await copyForAccount(bundledFolder(), account!, (line) => lines.push(line))).toBe(copy);
    expect(lines).toHaveLength(copied);
    expect(await readdir(dirname(copy))).toEqual(kept);
  });
});
