import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Artifact } from './artifacts.js';
import { fetchArtifacts } from './fetch-artifacts.js';

const artifact = (path: string, text: string): Artifact => ({
  path,
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
});

describe('fetchArtifacts', () => {
  const answers = new Map<string, (response: ServerResponse) => void>();
  let requests: string[];
  let server: Server;
  let address: string;
  let into: string;
  beforeEach(async () => {
    answers.clear();
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      const answer = answers.get(request.url ?? '');
      if (answer) answer(response);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/maven2`;
    into = await mkdtemp(join(tmpdir(), 'curtail-fetch-'));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(into, { recursive: true, force: true });
  });
  const serve = (path: string, text: string) =>
    answers.set(`/maven2/${path}`, (response) => response.end(text));

  it('puts every file under its name, and reports how much has arrived', async () => {
    const files = Array.from({ length: 20 }, (_, at) => artifact(`group/${at}/jar-${at}.jar`, `text ${at}`));
    files.forEach(({ path }, at) => {
      serve(path, `text ${at}`);
    });
    let bytes = 0;
    await fetchArtifacts({ address, artifacts: files, into, onBytes: (count) => (bytes += count) });
    expect((await readdir(into)).sort()).toEqual(files.map((_, at) => `jar-${at}.jar`).sort());
    expect(await readFile(join(into, 'jar-7.jar'), 'utf8')).toBe('text 7');
    expect(bytes).toBe(files.reduce((sum, file) => sum + file.bytes, 0));
  });

  it.each([
    ['another checksum', 'evil', 'its SHA-256 is'],
    ['more bytes', 'good and more', 'longer than the 4 bytes it should have'],
    ['fewer bytes', 'goo', 'its SHA-256 is'],
  ])('refuses a file with %s, keeps nothing of it, and does not ask again', async (_, text, why) => {
    serve('a/good.jar', text);
    const fetched = fetchArtifacts({ address, artifacts: [artifact('a/good.jar', 'good')], into });
    await expect(fetched).rejects.toThrow(`${address}/a/good.jar: ${why}`);
    expect(await readdir(into)).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it('names the file that is not there, and asks for no further one', async () => {
    const files = Array.from({ length: 100 }, (_, at) => artifact(`a/${at}.jar`, 'text'));
    await expect(fetchArtifacts({ address, artifacts: files, into })).rejects.toThrow(
      /a\/\d\.jar: the answer is 404 Not Found/,
    );
    expect(new Set(requests).size).toBeLessThanOrEqual(8);
  });

  it('asks again when the connection breaks', async () => {
    answers.set('/maven2/a/good.jar', (response) => {
      if (requests.length < 3)
        response.writeHead(200, { 'content-length': 4 }).write('go', () => response.destroy());
      else response.end('good');
    });
    let bytes = 0;
    const artifacts = [artifact('a/good.jar', 'good')];
    await fetchArtifacts({ address, artifacts, into, onBytes: (count) => (bytes += count) });
    expect(await readFile(join(into, 'good.jar'), 'utf8')).toBe('good');
    expect(bytes).toBe(4);
  });

  it('names who cannot be reached', async () => {
    const artifacts = [artifact('a/good.jar', 'good')];
    await expect(fetchArtifacts({ address: 'http://127.0.0.1:1', artifacts, into })).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:1\/a\/good\.jar: .*(ECONNREFUSED|bad port)/,
    );
  });
});
