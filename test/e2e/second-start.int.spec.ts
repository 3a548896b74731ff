import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { assertBuilt } from '../support/curtail-process.js';
import { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let running: StartedProgram | undefined;
beforeEach(async () => {
  await assertBuilt();
  folder = await temporaryFolder();
});
afterEach(async () => {
  await running?.end('SIGTERM');
  await folder?.remove();
});

/** What it prints, and whom it takes the holder of its token for. */
async function started(environment: Record<string, string> = {}) {
  running = StartedProgram.spawn('node bin/curtail.mjs start --no-sample --port 0', {
    environment: {
      CURTAIL_DATA: join(folder.path, 'data'),
      CURTAIL_CONFIG: join(folder.path, 'config.yaml'),
      CURTAIL_AUTH: undefined,
      CURTAIL_TOKEN: undefined,
      ...environment,
    },
  });
  await running.written(/Ctrl-C stops it/);
  const [, url] = /running at (http:\S+)/.exec(running.output)!;
  const token = (await readFile(join(folder.path, 'data', 'token'), 'utf8')).trim();
  const answer = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  const { actor } = (await answer.json()) as { actor: { issuer: string } };
  return { url: url!, token, issuer: actor.issuer, link: /#token=(\S+)/.exec(running.output)?.[1] };
}

it('a later start has the same token, its link and the same user, whatever server commands go to', async () => {
  const first = await started();
  expect(first).toMatchObject({ issuer: 'local', link: first.token });
  expect(await readFile(join(folder.path, 'config.yaml'), 'utf8')).toBe(
    [
      'contexts:',
      `  ${new URL(first.url).host}:`,
      `    server: ${first.url}`,
      '    credentials:',
      `      tokenFile: ${join(folder.path, 'data', 'token')}`,
      '',
    ].join('\n'),
  );
  await running!.end('SIGTERM');
  const second = await started({ CURTAIL_SERVER: first.url });
  expect(second).toMatchObject({ token: first.token, issuer: 'local', link: first.token });
});
