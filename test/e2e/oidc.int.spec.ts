import { createHash, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { base64url, SignJWT } from 'jose';
import { SigningKey } from '#platform';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { OidcIssuer, oidcAudience } from '../support/oidc-issuer.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { TestPartition } from '../support/test-partition.js';

const admin = 'a-token-of-administrators';
const people = {
  vera: ['watchers'],
  olga: ['sre', 'staff'],
  sam: ['research'],
  prometheus: ['agents'],
  bob: [],
  eve: [],
  ada: ['admins'],
};

let issuer: OidcIssuer;
let system: EmbeddedSystem;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const policyFile = join(folder.path, 'policy.yaml');
  await writeFile(
    policyFile,
    `grants:
  - {group: watchers, role: viewer}
  - {group: sre, role: operator, partition: default}
  - {group: research, role: submitter, partition: default, queue: root.research}
  - {subject: prometheus, role: agent}
`,
  );
  issuer = await OidcIssuer.start({ people });
  system = await EmbeddedSystem.start({
    token: admin,
    policyFile,
    oidcIssuer: issuer.url,
    oidcAudience,
    oidcGroupsClaim: 'groups',
  });
});
afterAll(async () => {
  await system?.stop();
  await issuer?.stop();
  await folder?.remove();
});

async function send(token: string | undefined, method: string, path: string, body?: unknown) {
  const response = await fetch(system.url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const read = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  return {
    status: response.status,
    code: (read.type as string | undefined)?.replace('urn:curtail:problem:', ''),
    body: read,
  };
}
const whoami = (token: string) => send(token, 'GET', '/v1/whoami');

describe('tokens of an issuer', () => {
  it.each([
    ['vera', 'GET', '/v1/queues', 200],
    ['vera', 'POST', '/v1/kill-switch', 403],
    ['olga', 'POST', '/v1/kill-switch', 200],
    ['olga', 'DELETE', '/v1/kill-switch', 200],
    ['olga', 'PUT', '/v1/partitions/gpu/mode', 403],
    ['olga', 'POST', '/v1/enforcements/e-1/approve', 403],
    ['sam', 'GET', '/v1/queues?queue=root.research', 200],
    ['sam', 'GET', '/v1/queues?queue=root.other', 403],
    ['sam', 'PUT', '/v1/partitions/default/config', 403],
    ['prometheus', 'GET', '/metrics', 200],
    ['prometheus', 'GET', '/v1/status', 403],
    ['bob', 'GET', '/v1/queues', 403],
    ['bob', 'GET', '/v1/whoami', 200],
  ])('of %s: %s %s is answered with %d', async (person, method, path, status) => {
    const body = method === 'POST' && path.endsWith('kill-switch') ? { partition: 'default' } : undefined;
    expect(await send(await issuer.tokenOf(person), method, path, body)).toMatchObject({ status });
  });

  it('name the caller, with groups, in whoami and on record', async () => {
    const token = await issuer.tokenOf('olga');
    const actor = { issuer: issuer.url, subject: 'olga', groups: ['sre', 'staff'], address: '127.0.0.1' };
    expect((await whoami(token)).body).toMatchObject({ actor, grants: [{ partition: 'default' }] });
    await send(token, 'POST', '/v1/kill-switch', { partition: 'default', by: 'somebody-else' });
    const { body } = await send(admin, 'GET', '/v1/events?type=KillSwitchSet&limit=1');
    expect(body).toMatchObject({ items: [{ data: { by: 'olga', actor } }] });
    await send(token, 'DELETE', '/v1/kill-switch');
  });

  it('are needed, since nothing is permitted without a credential', async () => {
    for (const path of ['/v1/queues', '/v1/whoami', '/metrics', '/docs', '/v1/nowhere'])
      expect(await send(undefined, 'GET', path)).toMatchObject({ status: 401, code: 'unauthorized' });
  });
});

describe('a token that looks like one of the issuer', () => {
  const seconds = () => Math.floor(Date.now() / 1000);
  const none = (claims: object) =>
    [{ alg: 'none', typ: 'JWT' }, claims].map((part) => base64url.encode(JSON.stringify(part))).join('.');
  const claims = () => ({ iss: issuer.url, aud: oidcAudience, sub: 'olga', exp: seconds() + 600 });

  it('is accepted with the right claims, also shortly after its end, for clocks that differ', async () => {
    expect(await whoami(await issuer.forged())).toMatchObject({ status: 200 });
    expect(await whoami(await issuer.forged({ aud: ['other', oidcAudience] }))).toMatchObject({
      status: 200,
    });
    expect(await whoami(await issuer.forged({ exp: seconds() - 5 }))).toMatchObject({ status: 200 });
  });

  const forgeries: [string, () => Promise<string> | string][] = [
    ['no signature (alg none)', () => `${none(claims())}.`],
    ['alg none with a signature', () => `${none(claims())}.AAAA`],
    ['another audience', () => issuer.forged({ aud: 'https://another.example.org' })],
    ['no audience', () => issuer.forged({ aud: undefined })],
    ['another issuer', () => issuer.forged({ iss: 'https://login.example.org' })],
    ['an issuer with a slash more', () => issuer.forged({ iss: `${issuer.url}/` })],
    ['no end', () => issuer.forged({ exp: undefined })],
    ['no subject', () => issuer.forged({ sub: undefined })],
    ['an empty subject', () => issuer.forged({ sub: ' ' })],
    ['a beginning in an hour', () => issuer.forged({ nbf: seconds() + 3600 })],
    ['an unknown key', () => issuer.forged({}, { header: { kid: 'unknown' } })],
    [
      'the public key as a shared secret (HS256)',
      async () => {
        const key = await issuer.publicKey();
        return new SignJWT(claims())
          .setProtectedHeader({ alg: 'HS256', kid: key.kid! })
          .sign(new TextEncoder().encode(JSON.stringify(key)));
      },
    ],
    [
      'the modulus of the public key as a shared secret (HS256)',
      async () => {
        const key = await issuer.publicKey();
        return new SignJWT(claims())
          .setProtectedHeader({ alg: 'HS256', kid: key.kid! })
          .sign(base64url.decode(key.n!));
      },
    ],
    [
      'a key of its own in the header',
      async () => {
        const other = await OidcIssuer.start({ people });
        const jwk = await other.publicKey();
        await other.stop();
        return other.forged({ iss: issuer.url }, { header: { jwk, jku: `${other.url}/jwks` } });
      },
    ],
    [
      'changed claims',
      async () => {
        const [header, , signature] = (await issuer.tokenOf('vera')).split('.');
        return [header, base64url.encode(JSON.stringify(claims())), signature].join('.');
      },
    ],
  ];
  it.each(forgeries)('is refused with %s', async (_what, make) => {
    expect(await whoami(await make())).toMatchObject({ status: 401, code: 'unauthorized' });
  });

  it('is refused after its end, with the remedy', async () => {
    const refused = await whoami(await issuer.forged({ exp: seconds() - 60 }));
    expect(refused).toMatchObject({ status: 401, body: { detail: expect.stringContaining('expired') } });
  });
});

describe('keys of the issuer', () => {
  it('change without a refusal, however soon after the last change', async () => {
    for (let round = 0; round < 2; round++) {
      await issuer.rotate();
      expect(await whoami(await issuer.tokenOf('vera'))).toMatchObject({ status: 200 });
    }
  });

  it('are not asked for with each token that names an unknown one', async () => {
    await whoami(await issuer.tokenOf('vera'));
    const before = issuer.asked.length;
    const one = await issuer.forged({}, { header: { kid: 'unknown' } });
    const answers = await Promise.all(Array.from({ length: 50 }, () => whoami(one)));
    expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
    expect(issuer.asked.slice(before).filter((path) => path === '/jwks').length).toBeLessThanOrEqual(2);
  });

  it('stay in use while it does not answer, and operators get in with a token of Curtail itself', async () => {
    const [used, unused] = [await issuer.tokenOf('olga'), await issuer.tokenOf('vera')];
    await whoami(used);
    await issuer.goAway();
    expect(await whoami(used)).toMatchObject({ status: 200 });
    expect(await whoami(unused)).toMatchObject({ status: 200 });
    const stopped = await send(used, 'POST', '/v1/kill-switch', { partition: 'default' });
    expect(stopped).toMatchObject({ status: 200 });
    expect(await send(admin, 'DELETE', '/v1/kill-switch')).toMatchObject({ status: 200 });
    expect(await whoami(await issuer.forged({ exp: Math.floor(Date.now() / 1000) - 60 }))).toMatchObject({
      status: 401,
    });
    const ofUnknownKey = await whoami(await issuer.forged({}, { header: { kid: 'unknown' } }));
    expect(ofUnknownKey).toMatchObject({ status: 503, code: 'issuer-away' });
    await issuer.comeBack();
    expect(await whoami(await issuer.tokenOf('sam'))).toMatchObject({ status: 200 });
  });
});

describe('a start while the issuer does not answer', () => {
  it('succeeds: the brake works with a local token, and tokens of the issuer once it is back', async () => {
    const other = await OidcIssuer.start({ people });
    const token = await other.tokenOf('olga');
    await other.goAway();
    const started = await EmbeddedSystem.start({ token: admin, oidcIssuer: other.url, oidcAudience });
    try {
      const at = (path: string, bearer: string, method = 'GET') =>
        fetch(started.url + path, {
          method,
          headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
          ...(method === 'POST' && { body: '{}' }),
        }).then(({ status, headers }) => ({ status, retry: headers.get('retry-after') }));
      expect(await at('/v1/whoami', token)).toEqual({ status: 503, retry: '5' });
      expect(await at('/v1/kill-switch', admin, 'POST')).toMatchObject({ status: 200 });
      await other.comeBack();
      expect(await at('/v1/whoami', token)).toMatchObject({ status: 200 });
      // Without a policy file nobody of the issuer has rights.
      expect(await at('/v1/queues', token)).toMatchObject({ status: 403 });
    } finally {
      await started.stop();
      await other.stop();
    }
  });
});

describe('with an issuer alone', () => {
  const secret = 'the-token-of-a-program-called-bob';
  let started: EmbeddedSystem;
  beforeAll(async () => {
    const [tokensFile, policyFile] = [join(folder.path, 'tokens.yaml'), join(folder.path, 'issuer.yaml')];
    const sha256 = createHash('sha256').update(secret).digest('hex');
    await writeFile(tokensFile, `tokens: [{name: bob, sha256: ${sha256}}]`);
    await writeFile(
      policyFile,
      `grants:
  - {group: admins, role: admin}
  - {subject: bob, role: decide}
  - {subject: eve, issuer: tokens, role: admin}
  - {subject: vera, issuer: '${issuer.url}', role: viewer}
roles: {decide: [approve]}
`,
    );
    const { privateKey } = generateKeyPairSync('ed25519');
    const signingKey = SigningKey.of(String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
    const settings = { oidcIssuer: issuer.url, oidcAudience, tokensFile, policyFile, signingKey };
    started = await EmbeddedSystem.start({ ...settings, approveAboveVictims: 1000 });
  });
  afterAll(() => started?.stop());

  const ask = async (token: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(started.url + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('a token and a subject of the same name are two callers, with rights of their own', async () => {
    const grantsOf = async (token: string) => (await ask(token, '/v1/whoami')).body;
    expect(await grantsOf(secret)).toMatchObject({
      actor: { issuer: 'tokens', subject: 'bob' },
      grants: [{ rights: expect.arrayContaining(['approve']) }],
    });
    const other = await grantsOf(await issuer.tokenOf('bob'));
    expect(other).toMatchObject({ actor: { issuer: issuer.url, subject: 'bob' }, grants: [] });
    expect(await grantsOf(await issuer.tokenOf('eve'))).toMatchObject({ grants: [] });
    expect(await grantsOf(await issuer.tokenOf('vera'))).toMatchObject({ grants: [{ partition: null }] });
  });

  it('owners read why their own work went without any right, and nobody else of their name does', async () => {
    const partition = new TestPartition(started, 'default');
    await partition.run({ queue: 'root.a', count: 3, resources: { memory: 10 }, user: 'bob' });
    const ada = await issuer.tokenOf('ada');
    const configuration = (memory: number) => `partitions:
  - name: default
    preemption: {quotapreemptionenabled: true}
    queues:
      - name: root
        queues:
          - name: a
            resources: {max: {memory: ${memory}}}
            properties: {quota.preemption.delay: 20ms}
`;
    const put = (memory: number) =>
      ask(ada, '/v1/partitions/default/config', {
        method: 'PUT',
        headers: { 'content-type': 'application/yaml' },
        body: configuration(memory),
      });
    expect(await put(40)).toMatchObject({ status: 200 });
    expect(await put(10)).toMatchObject({ status: 200 });
    const bob = await issuer.tokenOf('bob');
    const mine = '/v1/victims?user=bob';
    const victims = await started.until('victims', async () => {
      const { body } = await ask(ada, mine);
      const { items } = body as { items: { allocation: string; state: string }[] };
      return items.length > 0 && items.every(({ state }) => state === 'evicted') && items;
    });
    expect(await ask(bob, mine)).toMatchObject({ status: 200, body: { items: victims } });
    const why = `/v1/allocations/${encodeURIComponent(victims[0]!.allocation)}/explanation`;
    expect(await ask(bob, why)).toMatchObject({ status: 200 });
    for (const [token, path] of [
      [bob, '/v1/victims?user=eve'],
      [bob, '/v1/victims'],
      [bob, '/v1/queues/root.a'],
      [bob, '/v1/kill-switch?user=bob'],
      [await issuer.tokenOf('eve'), why],
      [await issuer.tokenOf('eve'), mine],
      [secret, why],
      [secret, mine],
    ] as const)
      expect({ path, ...(await ask(token, path)) }).toMatchObject({ path, status: 403 });

    // A link is signed with a key of the signing key, since there is no token that everyone here would know.
    const address = `/v1/allocations/${encodeURIComponent(victims[0]!.allocation)}/link`;
    const linkNow = async () =>
      String((await ask(ada, address, { method: 'POST' })).body.path).slice('/ui/explained#'.length);
    const link = await linkNow();
    expect(await ask(link, '/v1/explained')).toMatchObject({
      status: 200,
      body: { allocation: victims[0]!.allocation },
    });
    for (const path of [why, mine, '/v1/queues'])
      expect(await ask(link, path)).toMatchObject({ status: 401 });
    expect(await ask(ada, address, { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await ask(link, '/v1/explained')).toMatchObject({ status: 410 });
    expect(await ask(await linkNow(), '/v1/explained')).toMatchObject({ status: 200 });
  });
});
