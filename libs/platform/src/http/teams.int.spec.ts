import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readSettings } from '../settings/read-settings.js';
import { generalSettings } from '../settings/service-settings.js';
import { type SampleApp, startSampleApp } from '../testing/sample-app.js';
import { readTeams } from './teams.js';

const token = 'correct-horse-battery';
const teamToken = 'team-horse-battery';
const sha256 = createHash('sha256').update(teamToken).digest('hex');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-teams-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string, env: Record<string, string> = {}) {
  const file = join(folder, 'teams.yaml');
  await writeFile(file, text);
  return readSettings(generalSettings, { CURTAIL_TEAMS_FILE: file, CURTAIL_TOKEN: token, ...env });
}
const team = (fields: string) => `teams:\n  - {name: research, ${fields}}\n`;

describe('the file of teams', () => {
  it('has paths in lower case, and the partition default', async () => {
    const { teamsFile } = await read(team(`queue: root.Research, sha256: ${sha256.toUpperCase()}`));
    expect([...readTeams(teamsFile!)]).toEqual([
      [sha256, { name: 'research', partition: 'default', queue: 'root.research', sha256 }],
    ]);
  });

  it.each([
    ['teams: [', /teams\.yaml:1:9: a bracket before this is not closed/],
    [team(`queue: root, sha256: ${sha256}`), /teams\[0\]\.queue: write the path of a queue below root/],
    [team(`queue: root.a, token: ${teamToken}, sha256: ${sha256}`), /teams\[0\]\.token: is unknown/],
    [team('queue: root.a, sha256: ab'), /teams\[0\]\.sha256: write the SHA-256 of the token/],
    [
      `${team(`queue: root.a, sha256: ${sha256}`)}  - {name: b, queue: root.b, sha256: ${sha256}}\n`,
      /teams\[1\]: has the token of research/,
    ],
  ])('is refused, without a secret in the message: %j', async (text, message) => {
    const error = await read(text).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toMatch(message);
    expect(error?.message).not.toContain(sha256);
    expect(error?.message).not.toContain(teamToken);
  });

  it('is refused without the token of the service', async () => {
    const { teamsFile } = await read(team(`queue: root.a, sha256: ${sha256}`));
    await expect(startSampleApp({ teamsFile })).rejects.toThrow(
      /CURTAIL_TOKEN is not set, but CURTAIL_TEAMS_FILE/,
    );
  });
});

describe('the token of a team', () => {
  const right = team(`queue: root.research, sha256: ${sha256}`);
  let sample: SampleApp;
  beforeAll(async () => {
    const { teamsFile } = await read(right);
    sample = await startSampleApp({ token, teamsFile });
  });
  afterAll(() => sample.close());
  const send = async (method: string, path: string, bearer = teamToken) => {
    const response = await fetch(sample.url + path, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: '"x"' }),
    });
    const text = await response.text();
    return { status: response.status, type: text.startsWith('{') ? JSON.parse(text).type : undefined };
  };

  it('works no longer once it is out of the file, and again with it, without a restart', async () => {
    const until = async (status: number) => {
      while ((await send('GET', '/v1/sample/queues/q')).status !== status)
        await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await until(200);
    await writeFile(join(folder, 'teams.yaml'), 'teams: []\n');
    await until(401);
    await writeFile(join(folder, 'teams.yaml'), right);
    await until(200);
  });

  it('may read', async () => {
    expect(await send('GET', '/v1/sample/queues/q')).toMatchObject({ status: 200 });
  });

  it.each([
    ['PUT', '/v1/sample/echo'],
    ['POST', '/v1/sample/checked'],
    ['PUT', '/v1/partitions/default/config'],
    ['PUT', '/v1/partitions/default/queues/root.research/config/more'],
    ['POST', '/v1/partitions/default/queues/root.research/config'],
    ['DELETE', '/v1/partitions/default/queues/root.research/config'],
    ['PUT', '/v1/partitions/default/queues/root.other/config'],
    ['PUT', '/v1/partitions/gpu/queues/root.research/config'],
    ['PUT', '/v1/partitions/default/queues/%2e%2e/config'],
    ['PUT', '/v1/partitions/default/queues/%zz/config'],
  ])('may not %s %s', async (method, path) => {
    expect(await send(method, path)).toEqual({ status: 403, type: 'urn:curtail:problem:not-for-teams' });
  });

  it.each(['root.research', 'ROOT.Research', 'root.research.batch', 'root.research%2Ebatch'])(
    'may send the configuration of %s, a path that this application does not have',
    async (queue) => {
      const path = `/v1/partitions/default/queues/${queue}/config`;
      expect(await send('PUT', path)).toMatchObject({ status: 404 });
    },
  );

  it('leaves the token of the service all rights, and others none', async () => {
    expect(await send('PUT', '/v1/sample/echo', token)).toMatchObject({ status: 200 });
    expect(await send('GET', '/v1/sample/queues/q', `${teamToken}x`)).toMatchObject({ status: 401 });
    expect(await send('GET', '/v1/sample/queues/q', sha256)).toMatchObject({ status: 401 });
  });
});
