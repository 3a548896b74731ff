import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { query } from '../../../../test/support/query.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { serverAccount } from './account.js';
import { startEmbeddedPostgres } from './index.js';
import { isServerOf } from './orphan.js';
import { isAlive } from './processes.js';

const program = join(process.cwd(), 'test/support/start-postgres.mjs');

describe('a server whose process died', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let dataDir: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
    dataDir = join(folder.path, 'data');
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await folder.remove();
  });

  /** Starts a server from a process of its own. */
  async function startElsewhere(): Promise<{ owner: ChildProcess; url: string; pid: number }> {
    const owner = spawn(process.execPath, [program, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(owner);
    const [line] = (await once(createInterface(owner.stdout), 'line')) as [string];
    return { owner, ...(JSON.parse(line) as { url: string; pid: number }) };
  }

  async function end(owner: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    const exited = once(owner, 'exit');
    owner.kill(signal);
    await exited;
  }

  it('is stopped and restarted after kill -9, with all commits', async () => {
    const { owner, url, pid } = await startElsewhere();
    await query(url, 'CREATE TABLE kept AS SELECT 7 AS seven');
    await end(owner, 'SIGKILL');
    expect(isAlive(pid)).toBe(true);

    const server = await startEmbeddedPostgres({ dataDir });
    expect(server.pid).not.toBe(pid);
    expect(isAlive(pid)).toBe(false);
    expect(await query(server.url, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
    await server.stop();
  });

  it('keeps running while its process lives', async () => {
    const { owner, url, pid } = await startElsewhere();
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(`used by process ${owner.pid}`);
    expect(isAlive(pid)).toBe(true);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await end(owner, 'SIGTERM');
  });

  it('restarts when server and owner were both killed, while its children are still ending', async () => {
    const { owner, url, pid } = await startElsewhere();
    await query(url, 'CREATE TABLE kept AS SELECT 7 AS seven');
    process.kill(pid, 'SIGKILL');
    await end(owner, 'SIGKILL');
    const server = await startEmbeddedPostgres({ dataDir });
    expect(await query(server.url, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
    await server.stop();
  });

  it('starts although the pid of an earlier server belongs to another program by now, which it does not signal', async () => {
    const first = await startEmbeddedPostgres({ dataDir });
    const pidFile = join(first.folder, 'cluster', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await first.stop();
    // PostgreSQL considers only processes that its account may signal.
    const account = await serverAccount();
    const other = spawn('sleep', ['600'], { ...(account && { uid: account.uid, gid: account.gid }) });
    children.push(other);
    await once(other, 'spawn');
    await writeFile(pidFile, text.replace(/^\d+/, String(other.pid)));

    const second = await startEmbeddedPostgres({ dataDir });
    expect(other.exitCode).toBeNull();
    await second.stop();
  });

  it('starts in a folder where the creation of the database was interrupted', async () => {
    await mkdir(join(dataDir, 'cluster.partial', 'base'), { recursive: true });
    const server = await startEmbeddedPostgres({ dataDir, durable: false });
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('is distinguished by its folder from servers of other folders', () => {
    const command = '/x/bin/postgres -D /data/a -c port=5';
    expect(isServerOf(command, '/data/a')).toBe(true);
    expect(isServerOf(command, '/data')).toBe(false);
    expect(isServerOf('tail -f /data/a', '/data/a')).toBe(false);
  });
});
