import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { json, TestServer } from '../../apps/curtail/testing/test-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let server: TestServer;
let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  server = await TestServer.start();
  server.replies = {
    'POST /v1/kill-switch': json({ partition: 'default', queue: 'root.a', configured: true }),
    'GET /v1/status': json({ attention: [], partitions: [], consumers: [], unread: 0, deadLetters: 0 }),
  };
  temporary = await temporaryFolder();
});
afterAll(async () => {
  await server.stop();
  await temporary.remove();
});

const root = fileURLToPath(new URL('../../', import.meta.url));
const listing =
  'data:text/javascript,process.on("exit", () => process.stderr.write(JSON.stringify(process.moduleLoadList)))';

/** The files of Curtail and the packages that a process loads for a command, and Node's own modules. */
async function loadedBy(words: string[]): Promise<{ files: string[]; packages: string[]; builtIn: string }> {
  const folder = join(temporary.path, words.join('-'));
  const { stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', listing, 'bin/curtail.mjs', ...words, '--server', server.url],
    { cwd: root, env: { NODE_V8_COVERAGE: folder, HOME: temporary.path } },
  );
  const [name = ''] = await readdir(folder);
  const { result } = JSON.parse(await readFile(join(folder, name), 'utf8')) as { result: { url: string }[] };
  const files = result.flatMap(({ url }) => (url.startsWith('file:') ? [fileURLToPath(url)] : []));
  const packageOf = (file: string) => file.split('/node_modules/')[1]?.split('/')[0];
  return {
    files: files.filter((file) => packageOf(file) === undefined).map((file) => file.slice(root.length)),
    packages: [...new Set(files.flatMap((file) => packageOf(file) ?? []))].sort(),
    builtIn: stderr,
  };
}

it.each([
  { words: ['stop', 'root.a'], actions: ['commanded.js', 'one-queue.js', 'stop.js'] },
  { words: ['status', '-o', 'table'], actions: ['status.js'] },
])('curtail $words loads what it uses alone: an operator must not wait for the rest', async (given) => {
  const { files, packages, builtIn } = await loadedBy(given.words);
  const inFolder = (folder: string) => files.flatMap((file) => file.split(`/cli/${folder}/`)[1] ?? []).sort();
  expect(packages).toEqual(['commander', 'openapi-fetch']);
  expect(inFolder('actions')).toEqual(given.actions);
  expect(inFolder('commands').length).toBeLessThan(6);
  expect(files).not.toContain('dist/libs/contracts/src/index.js');
  expect(builtIn).toContain('NativeModule http"');
  expect(builtIn).not.toMatch(/undici|NativeModule (https|tls)"/);
});
