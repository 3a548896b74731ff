import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isSignedBy, type PublicKey, type Signature, SigningKey } from '#platform';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const token = 'a-token-of-administrators';

interface Page {
  lines: string;
  page: { records: number; next: string | null };
  signature: Signature | null;
}

describe('the record of who did what', () => {
  let system: EmbeddedSystem;
  beforeAll(async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const signingKey = SigningKey.of(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    system = await EmbeddedSystem.start({ token, signingKey });
    await send('PUT', '/v1/partitions/default/config', {
      partitions: [{ name: 'default', queues: [{ name: 'root', queues: [{ name: 'a' }] }] }],
    });
    for (const method of ['POST', 'DELETE'])
      await send(method, '/v1/kill-switch', { queue: 'root.a', by: 'somebody else' });
  });
  afterAll(() => system?.stop());

  async function send(method: string, path: string, body?: object): Promise<Response> {
    const response = await fetch(system.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
    return response;
  }
  const page = async (query = ''): Promise<Page> =>
    (await (await send('GET', `/v1/audit?since=2026-01-01T00:00:00Z${query}`)).json()) as Page;
  const recordsOf = ({ lines }: Pick<Page, 'lines'>) =>
    lines
      .trimEnd()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { position: string; event: string; key: string; by: string; actor: object },
      );

  it('names the owner of the credential and the queue, in the order of the log, whatever a request claims', async () => {
    const found = recordsOf(await page()).map(({ event, key, by, actor }) => ({ event, key, by, actor }));
    const actor = { issuer: 'curtail', subject: 'admin', address: expect.any(String) };
    expect(found).toEqual([
      expect.objectContaining({ event: 'ConfigApplied', by: 'admin', actor: expect.objectContaining(actor) }),
      { event: 'KillSwitchSet', key: 'root.a', by: 'admin', actor: { ...actor, claimed: 'somebody else' } },
      {
        event: 'KillSwitchCleared',
        key: 'root.a',
        by: 'admin',
        actor,
      },
    ]);
  });

  it('is signed page by page, with a key whose public part needs no token, and over every byte', async () => {
    const { keys } = (await (await fetch(`${system.url}/v1/keys`)).json()) as { keys: PublicKey[] };
    const all: string[] = [];
    for (let after: string | null = '0'; after !== null; ) {
      const one: Page = await page(`&limit=1&after=${after}`);
      const signed = one.lines + JSON.stringify(one.page);
      expect(isSignedBy(keys, signed, one.signature!)).toBe(true);
      expect(isSignedBy(keys, signed.replace('admin', 'adnim'), one.signature!)).toBe(false);
      all.push(one.lines);
      after = one.page.next;
    }
    expect(all).toHaveLength(3);
    expect(all.join('')).toBe((await page()).lines);
  });

  it('is exported to a file that `curtail verify --audit` accepts, until a line of it is changed', async () => {
    const { path, remove } = await temporaryFolder();
    const [file, key] = [join(path, 'audit.jsonl'), join(path, 'keys.json')];
    await writeFile(key, await (await fetch(`${system.url}/v1/keys`)).text());
    const env = { CURTAIL_TOKEN: token };
    const { stdout } = await curtail(['--server', system.url, 'audit', '--since', '1h', '-o', 'jsonl'], {
      env,
    });
    const verified = async (text: string, ...more: string[]) => {
      await writeFile(file, text);
      const words = ['--utc', '-o', 'table', 'verify', '--audit', file, '--key', key, ...more];
      const { status, stdout: shown } = await curtail(words);
      return { status, shown };
    };
    const { page: signed } = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as {
      page: { at: string; end: string };
    };
    const [{ end }] = (await system.db.query('SELECT max(position)::text AS end FROM events')) as [
      { end: string },
    ];
    expect(Number(signed.end)).toBeGreaterThanOrEqual(
      Number(recordsOf({ lines: stdout.slice(0, stdout.indexOf('{"page"')) }).at(-1)!.position),
    );
    expect(Number(signed.end)).toBeLessThanOrEqual(Number(end));
    const clock = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ';
    expect(await verified(stdout, '--newer-than', '1h')).toEqual({
      status: 0,
      shown: expect.stringMatching(
        new RegExp(
          `^3 records: compared with 1 signature\nexported ${clock} \\([^)]*\\), when the log ended at position ${signed.end}\n` +
            `with all commands and configurations since ${clock}\nthey are as they were signed\nTimes are UTC.\n$`,
        ),
      ),
    });
    const after = new Date(Date.parse(signed.at) + 1).toISOString();
    expect(await verified(stdout, '--newer-than', after)).toEqual({
      status: 1,
      shown: expect.stringMatching(/^WHAT +LINE.*\nold +4 .*which is before/s),
    });
    expect(await verified(stdout.replace('"by":"admin"', '"by":"anna"'))).toEqual({
      status: 1,
      shown: expect.stringMatching(/^WHAT +LINE.*\nchanged +1 .*records that were signed/s),
    });
    await remove();
  });

  it('can be limited to a subject, a partition and a time', async () => {
    expect((await page('&by=nobody')).page.records).toBe(0);
    expect((await page('&partition=other')).page.records).toBe(0);
    expect((await page('&until=2026-01-02T00:00:00Z')).page.records).toBe(0);
  });

  it('stays in the order of the log, on every page, where positions gain a digit', async () => {
    const positionsOf = (one: Page) => recordsOf(one).map(({ position }) => Number(position));
    let all = positionsOf(await page());
    const digits = () => new Set(all.map((position) => String(position).length));
    for (let n = 0; digits().size < 3; n++) {
      await send(n % 2 === 0 ? 'POST' : 'DELETE', '/v1/kill-switch', { queue: 'root.a' });
      all = positionsOf(await page());
    }
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    const paged: number[] = [];
    for (let after: string | null = '0'; after !== null; ) {
      const one: Page = await page(`&limit=5&after=${after}`);
      paged.push(...positionsOf(one));
      after = one.page.next;
    }
    expect(paged).toEqual(all);
  });
});
