import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { query } from '../../../../test/support/query.js';
import { temporaryFolder } from '../../../../test/support/temporary-folder.js';
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './index.js';
import { isAlive } from './processes.js';
import { freePort } from './server-start.js';

describe('startEmbeddedPostgres', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let running: EmbeddedPostgres[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop()));
    running = [];
    await folder.remove();
  });

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const server = await startEmbeddedPostgres({
      dataDir: join(folder.path, 'data'),
      durable: false,
      ...options,
    });
    running.push(server);
    return server;
  }

  it('keeps the data and the password from one start to the next', async () => {
    const first = await start();
    await query(first.url, `CREATE TABLE kept AS SELECT 'yes' AS answer`);
    await first.stop();
    const second = await start();
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 'yes' }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
  });

  it('provides a database in UTF-8 with 200 connections, which reports when it is not durable', async () => {
    const { url } = await start();
    const read = `SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding, datcollate,
      current_setting('max_connections') AS connections, current_setting('fsync') AS fsync
      FROM pg_database WHERE datname = current_database()`;
    expect(await query(url, read)).toEqual([
      { name: 'curtail', encoding: 'UTF8', datcollate: 'C', connections: '200', fsync: 'off' },
    ]);
  });

  it('flushes to disk by default', async () => {
    const { url } = await start({ durable: true });
    expect(await query(url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    expect(await query(url, 'SHOW synchronous_commit')).toEqual([{ synchronous_commit: 'on' }]);
  });

  it('is closed to other machines and to those without the password', async () => {
    const { url, folder: data } = await start();
    expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(url, 'SHOW unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
    const guess = new URL(url);
    guess.password = 'guess';
    await expect(query(guess.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect((await stat(join(data, 'password'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(data, 'cluster'))).mode & 0o777).toBe(0o700);
  });

  it('stops although clients are connected, and may be stopped twice', async () => {
    const server = await start();
    const client = new Client({ connectionString: server.url });
    const cut = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    await Promise.all([server.stop(), server.stop()]);
    expect(await cut).toBeInstanceOf(Error);
    expect(isAlive(server.pid)).toBe(false);
    expect(await server.ended).toMatchObject({ code: 0, signal: null });
  });

  it('reports when the server ends by itself, with the end of its log', async () => {
    const server = await start();
    process.kill(server.pid, 'SIGQUIT');
    expect((await server.ended).logTail).toContain('received immediate shutdown request');
    await server.stop();
  });

  it('refuses a folder that is in use, and does not affect its server', async () => {
    const { url } = await start();
    await expect(start()).rejects.toThrow(/used by this process already\.\n.*Stop that one first/s);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('takes the requested port', async () => {
    const port = await freePort();
    const { url } = await start({ port });
    expect(new URL(url).port).toBe(String(port));
  });

  it('reports that a port is taken, and releases the folder', async () => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    await expect(start({ port })).rejects.toThrow(
      new RegExp(
        `cannot listen on 127.0.0.1:${port}: the port is taken.*Choose another port.*Address already in use`,
        's',
      ),
    );
    await new Promise((resolve) => other.close(resolve));
    await expect(start({ port })).resolves.toMatchObject({ port });
  });

  it('reports at once that the password file does not belong to the data', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(first.folder, 'password'), 'other');
    await expect(start()).rejects.toThrow(/does not start on the data.*password authentication failed/s);
  });
});
