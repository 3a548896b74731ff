import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isSignedBy, type PublicKey, type Signature, SigningKey } from '#platform';
import { EmbeddedSystem } from '../support/embedded-system.js';

const token = 'a-token-of-administrators';

interface Page {
  lines: string;
  records: number;
  signature: Signature | null;
  next?: string;
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
  const recordsOf = ({ lines }: Page) =>
    lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string; key: string; by: string; actor: object });

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
    for (let after: string | undefined = '0'; after !== undefined; ) {
      const one: Page = await page(`&limit=1&after=${after}`);
      expect(isSignedBy(keys, one.lines, one.signature!)).toBe(true);
      expect(isSignedBy(keys, one.lines.replace('admin', 'adnim'), one.signature!)).toBe(false);
      all.push(one.lines);
      after = one.next;
    }
    expect(all).toHaveLength(3);
    expect(all.join('')).toBe((await page()).lines);
  });

  it('can be limited to a subject, a partition and a time', async () => {
    expect((await page('&by=nobody')).records).toBe(0);
    expect((await page('&partition=other')).records).toBe(0);
    expect((await page('&until=2026-01-02T00:00:00Z')).records).toBe(0);
  });
});
