import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { place } from '#clusters';
import { openDatabase } from '#event-store';
import { agentSettings } from '../../apps/agent/src/settings/agent-settings.js';
import { consoleProgram } from '../../apps/console/src/console.app.js';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import {
  aboutSetting,
  readSettings,
  routes,
  secretFileOf,
  variablesOf,
} from '../../libs/platform/src/index.js';
import { curtailSettings } from '../../libs/runtime/src/index.js';
import { type Authority, makeAuthority } from '../../scripts/infra/secured/authority.js';
import { assertBuilt, CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { kafkaBrokers } from '../support/kafka.js';
import { query } from '../support/query.js';
import { Recorded } from '../support/recorded.js';
import { ServiceProcess } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const schema = { ...curtailSettings, ...consoleProgram.settings, ...agentSettings };
const marks = new Map<string, string>();
/** A secret that nothing else contains; the same for the same name. */
function mark(name: string): string {
  const made = marks.get(name) ?? `MARK${name.replaceAll(/\W/g, '')}${randomBytes(9).toString('hex')}`;
  marks.set(name, made);
  return made;
}
/** The names of the marks that a text has, also within what is encoded in base64 or for an address. */
function marksIn(text: string): string[] {
  const forms = (secret: string) => [
    secret,
    ...['a', 'ab', 'abc'].map((before) => inBase64(before + secret)),
  ];
  return [...marks]
    .filter(([, secret]) => forms(secret).some((form) => text.includes(form)))
    .map(([name]) => name);
}
/** Without the characters that depend on what stands before and after. */
const inBase64 = (text: string) => Buffer.from(text).toString('base64').slice(4, -4);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  await assertBuilt();
  folder = await temporaryFolder();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await folder?.remove();
});

let files = 0;
function fileWith(content: string): string {
  files += 1;
  const path = join(folder.path, `file-${files}`);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that refuses everything, and answers with all that it was told. */
async function echo(status: number): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const all = JSON.stringify({ message: request.rawHeaders.join(' '), url: request.url, body });
    response.writeHead(status, all.slice(0, 200).replaceAll(/[^\w ]/g, ' '), {
      'content-type': 'application/json',
    });
    response.end(all);
  });
  return `http://127.0.0.1:${await listening(server)}`;
}

describe('settings', () => {
  /** What sounds like a secret, and is none. */
  const harmless =
    /^(?:CURTAIL_(?:TEAMS|TOKENS)_FILE|CURTAIL_TLS_(?:CERT|CLIENT_CA)_FILE|CURTAIL_TRUST_PROXY)$/;
  const secretVariables = variablesOf(schema).flatMap((setting) => {
    const { variable, secret } = aboutSetting(setting);
    return secret ? [[variable, secretFileOf(setting, schema)] as const] : [];
  });

  it('are declared as secret where their names say so', () => {
    const sounding = variablesOf(schema)
      .map((setting) => aboutSetting(setting).variable)
      .filter((name) => /TOKEN|SECRET|PASSWORD|KEY|^DATABASE_URL|^REDIS_URL|WEBHOOK_URL/.test(name));
    const declared = secretVariables.map(([variable]) => variable);
    expect(sounding.filter((name) => !harmless.test(name) && !declared.includes(name))).toEqual([]);
    expect(declared).toHaveLength(sounding.filter((name) => !harmless.test(name)).length);
  });

  const wrongTexts = (variable: string) => {
    const secret = mark(variable);
    return [
      ...[
        secret,
        `${secret}\u0000\u001b[2J`,
        `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
      ],
      ...[`ftp://user:${secret}@host/x`, `{"${secret}":`, `whsec_${secret}`, secret.repeat(200)],
    ];
  };

  it.each(secretVariables)('%s and %s are in no error, however wrong', (variable, inFile) => {
    for (const wrong of wrongTexts(variable)) {
      const attempts = [{ [variable]: wrong }, { [variable]: fileWith(wrong) }];
      if (inFile !== undefined) attempts.push({ [inFile]: fileWith(wrong) }, { [inFile]: wrong });
      for (const environment of attempts) {
        let text = '';
        try {
          readSettings(schema, { ...environment, CURTAIL_PORT: 'wrong' });
        } catch (error) {
          text = String((error as Error).stack);
        }
        expect(text).toContain('CURTAIL_PORT');
        expect(marksIn(text)).toEqual([]);
      }
    }
  });
});

describe('one process with all its secrets', () => {
  let database: TestDatabase;
  let home: CurtailFolder;
  let server: CurtailProcess;
  let url: string;
  const token = mark('CURTAIL_TOKEN');
  const role = `marked_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    closing.push(() => database.drop());
    const ofRole = new URL(database.url);
    await query(database.url, `CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${mark('DATABASE_URL')}'`);
    [ofRole.username, ofRole.password] = [role, mark('DATABASE_URL')];
    closing.push(() => query(database.url, `DROP ROLE ${role}`).catch(() => {}));
    const signing = await import('node:crypto').then(({ generateKeyPairSync }) =>
      String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
    );
    marks.set('CURTAIL_SIGNING_KEY_FILE', signing.split('\n')[1]!);
    marks.set('webhook secret', Buffer.from(mark('whsec')).toString('base64'));
    home = await CurtailFolder.create();
    closing.push(() => home.remove());
    const team = { name: 'research', queue: 'root.research', sha256: digest(mark('team')) };
    const named = { name: 'ann', role: 'operator', sha256: digest(mark('named')) };
    const started = await home.start({
      environment: {
        CURTAIL_LOG_LEVEL: 'trace',
        CURTAIL_TOKEN_FILE: fileWith(token),
        CURTAIL_TOKENS_FILE: fileWith(JSON.stringify({ tokens: [named] })),
        CURTAIL_TEAMS_FILE: fileWith(JSON.stringify({ teams: [team] })),
        CURTAIL_OIDC_ISSUER: await echo(500),
        CURTAIL_OIDC_AUDIENCE: 'https://curtail.example.org',
        CURTAIL_OIDC_CLIENT_ID: 'curtail',
        DATABASE_URL_FILE: fileWith(ofRole.href),
        CURTAIL_SIGNING_KEY_FILE: fileWith(signing),
        CURTAIL_WEBHOOK_URL_FILE: fileWith(`${await echo(500)}/${mark('CURTAIL_WEBHOOK_URL')}`),
        CURTAIL_WEBHOOK_SECRET_FILE: fileWith(`whsec_${marks.get('webhook secret')}`),
        CURTAIL_APPROVE_ABOVE_VICTIMS: '0',
      },
    });
    [server, url] = [started.curtail, started.url];
  }, 120_000);
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const link = () => `link.${Buffer.from(JSON.stringify({ of: mark('link') })).toString('base64url')}.AAAA`;
  const jwt = () =>
    `eyJhbGciOiJFZERTQSIsImtpZCI6IngifQ.${Buffer.from(mark('jwt')).toString('base64url')}.AAAA`;

  it('answers no request with what is secret in it, or with a secret of its own', async () => {
    const credentials: Record<string, string>[] = [
      { authorization: `Bearer ${token}` },
      { authorization: `Bearer ${mark('named')}` },
      { authorization: `Bearer ${mark('team')}` },
      { authorization: `Bearer ${mark('wrong token')}` },
      { authorization: `Basic ${Buffer.from(`ann:${mark('basic')}`).toString('base64')}` },
      { authorization: `Bearer ${jwt()}` },
      { authorization: `Bearer ${link()}` },
      { authorization: mark('no scheme'), cookie: `session=${mark('cookie')}`, 'x-api-key': mark('apikey') },
      { authorization: `Bearer ${token}`, 'x-request-id': mark('request id of a caller').slice(0, 8) },
    ];
    for (const [route] of Object.entries(routes)) {
      const [method = '', path = ''] = route.split(' ');
      // It stays open.
      if (path === '/v1/live') continue;
      const place = path.replaceAll(/:\w+/g, 'x');
      for (const headers of credentials) {
        const body =
          method === 'GET'
            ? {}
            : { body: JSON.stringify({ token: mark('body'), password: [mark('nested')] }) };
        const answer = await fetch(`${url}${place}?token=${mark('query')}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          ...body,
        });
        const text = `${JSON.stringify([...answer.headers])}${await answer.text()}`;
        expect({ route, marks: marksIn(text).filter((name) => !refusedInput.has(name)) }).toEqual({
          route,
          marks: [],
        });
      }
    }
  }, 120_000);
  /** A caller may see the words that it sent and that are wrong: its query and its body, not its credentials. */
  const refusedInput = new Set(['query', 'body', 'nested']);

  it('shows none on any page, in a document or by a command, and logs none at the finest level', async () => {
    for (const path of [
      '/ui/',
      '/docs',
      '/docs/openapi.json',
      '/metrics',
      '/v1/audit?since=2026-01-01T00:00:00Z',
    ]) {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      expect(marksIn(await answer.text())).toEqual([]);
    }
    const env = { CURTAIL_TOKEN: token, CURTAIL_CONFIG: join(folder.path, 'none.yaml') };
    const commands = [
      'whoami',
      'config',
      'status',
      'audit --since 1h',
      'get events',
      'get queues',
      'dead-letters',
      'policy check',
    ];
    for (const command of [...commands, 'stop --reason x', 'resume', 'doctor', 'no-such-command', 'get']) {
      const { stdout, stderr } = await curtail(['--server', url, ...command.split(' ')], { env });
      expect({ command, marks: marksIn(stdout + stderr) }).toEqual({ command, marks: [] });
    }
    const wrong = { ...env, CURTAIL_TOKEN: mark('wrong token of a command') };
    for (const environment of [wrong, { ...wrong, CURTAIL_TOKEN: `\n${wrong.CURTAIL_TOKEN}\u0000` }]) {
      const { status, stderr } = await curtail(['--server', url, 'status', '-o', 'json'], {
        env: environment,
      });
      expect(status).not.toBe(0);
      expect(marksIn(stderr)).toEqual([]);
    }
    expect((await server.interrupt()).code).toBe(0);
    expect(server.output).toContain('"level":"debug"');
    expect(marksIn(server.output)).toEqual([]);
  }, 120_000);

  it('keeps none in its events and tables', () => expectNoneInTables(database));
});

async function expectNoneInTables({ url }: TestDatabase): Promise<void> {
  const tables = (await query(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )) as { name: string }[];
  expect(tables.length).toBeGreaterThan(20);
  for (const { name } of tables) {
    const rows = await query(url, `SELECT t::text AS text FROM "${name}" t`);
    expect({ name, marks: marksIn(JSON.stringify(rows)) }).toEqual({ name, marks: [] });
  }
}

describe('one process that serves TLS, makes links and sends messages', () => {
  interface Message {
    headers: IncomingHttpHeaders;
    body: string;
  }
  const token = mark('CURTAIL_TOKEN of links');
  const received = new Recorded<Message>();
  let authority: Authority;
  let tls: Record<string, string>;
  let database: TestDatabase;
  let home: CurtailFolder;
  let server: CurtailProcess;
  let url: string;

  beforeAll(async () => {
    authority = await makeAuthority();
    const { cert, key } = await authority.issue('curtail');
    marks.set('CURTAIL_TLS_KEY_FILE', key.split('\n')[2]!);
    tls = { CURTAIL_TLS_CERT_FILE: fileWith(cert), CURTAIL_TLS_KEY_FILE: fileWith(key) };
    // What anyone could make links with.
    const ofLinks = Buffer.from(hkdfSync('sha256', token, '', 'curtail: links to explanations, v1', 32));
    for (const form of ['base64url', 'hex'] as const)
      marks.set(`key of links, ${form}`, ofLinks.toString(form));
    marks.set('secret of the webhook', randomBytes(24).toString('base64'));
    const receiver = createServer(async (request, response) => {
      const body = (await request.toArray()).join('');
      // A message is complete with its answer.
      response.writeHead(204).end(() => received.add({ headers: request.headers, body }));
    });
    const path = mark('path of the webhook');
    database = await createMigratedDatabase();
    closing.push(() => database.drop());
    home = await CurtailFolder.create();
    closing.push(() => home.remove());
    const environment = {
      CURTAIL_LOG_LEVEL: 'trace',
      DATABASE_URL: database.url,
      CURTAIL_TOKEN: token,
      CURTAIL_WEBHOOK_URL: `http://127.0.0.1:${await listening(receiver)}/${path}`,
      CURTAIL_WEBHOOK_SECRET: `whsec_${marks.get('secret of the webhook')}`,
      CURTAIL_APPROVE_ABOVE_VICTIMS: '0',
      ...tls,
    };
    const started = await home.start({ environment });
    [server, url] = [started.curtail, started.url];
  }, 120_000);

  /** Its answer over TLS, which has no mark. */
  async function ask(method: string, path: string, body?: object, bearer = token) {
    const asked = tlsRequest(url + path, {
      ...{ method, ca: authority.ca, agent: false },
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    });
    const [answer] = (await once(asked.end(body && JSON.stringify(body)), 'response')) as [IncomingMessage];
    const content = (await answer.toArray()).join('');
    const shown = JSON.stringify(answer.rawHeaders) + content;
    expect({ path, marks: marksIn(shown) }).toEqual({ path, marks: [] });
    return { status: answer.statusCode, content };
  }

  it('sends none in a message but the signature that it makes with one', async () => {
    const db = await openDatabase(database.url, { poolSize: 1 });
    const resources = { vcore: 1000 };
    const [application, queue] = ['work', 'root.a'];
    await place(db, 'default', {
      applications: [{ id: application, queue, user: 'ann' }],
      allocations: ['one', 'two'].map((id) => ({
        ...{ id, application, queue, resources, startedAt: '2026-11-21T08:00:00.000Z' },
      })),
    }).finally(() => db.destroy());
    const quota = (vcore: string) => {
      const a = { name: 'a', resources: { max: { vcore } }, properties: { 'quota.preemption.delay': '1s' } };
      const preemption = { quotapreemptionenabled: true };
      return { partitions: [{ name: 'default', preemption, queues: [{ name: 'root', queues: [a] }] }] };
    };
    for (const vcore of ['2', '1'])
      expect((await ask('PUT', '/v1/partitions/default/config', quota(vcore))).status).toBe(200);
    const waits = await received.until(({ body }) => body.includes('run.waits-for-approval'));
    expect((await ask('POST', '/v1/webhook/test')).status).toBe(200);
    const secret = Buffer.from(marks.get('secret of the webhook')!, 'base64');
    expect(waits.length).toBeGreaterThan(0);
    for (const { headers, body } of received.all) {
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
      const signature = createHmac('sha256', secret).update(signed).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${signature}`);
      expect(marksIn(JSON.stringify([headers, body]))).toEqual([]);
    }
  }, 120_000);

  it('makes a link that only its own answer has, and that does not show its key', async () => {
    const place = { partition: 'default' };
    const made = await ask('POST', '/v1/allocations/one/link', place);
    const link = (JSON.parse(made.content) as { path: string }).path.split('#')[1]!;
    expect(link).toMatch(/^link\..+\..+$/);
    marks.set('link', link);
    marks.set('signature of a link', link.split('.')[2]!);
    expect((await ask('GET', '/v1/explained', undefined, link)).status).toBe(200);
    expect((await ask('GET', '/v1/explained', undefined, `${link}x`)).status).toBe(401);
    expect((await ask('DELETE', '/v1/allocations/one/link?partition=default')).status).toBe(200);
    expect((await ask('GET', '/v1/explained', undefined, link)).status).toBe(410);
  });

  it('shows none elsewhere, keeps none, and logs none at the finest level', async () => {
    for (const path of ['/ui/', '/docs', '/docs/openapi.json', '/metrics', '/v1/status', '/v1/keys'])
      expect((await ask('GET', path)).status).toBe(200);
    expect((await ask('GET', '/v1/audit?since=2026-01-01T00:00:00Z')).content).toContain('ConfigApplied');
    // Plain HTTP, and an authority that is not known.
    await expect(fetch(url.replace('https', 'http'))).rejects.toThrow();
    await expect(fetch(url)).rejects.toThrow();
    await expectNoneInTables(database);
    expect((await server.interrupt()).code).toBe(0);
    expect(server.output).toContain('"level":"debug"');
    expect(marksIn(server.output)).toEqual([]);
  }, 60_000);

  it('names a key that is of another certificate without its text', async () => {
    const { key } = await authority.issue('another');
    marks.set('key of another certificate', key.split('\n')[2]!);
    const wrong = home.spawn({ environment: { ...tls, CURTAIL_TLS_KEY_FILE: fileWith(key) } });
    expect((await wrong.ended).code).not.toBe(0);
    expect(wrong.output).toContain('CURTAIL_TLS_KEY_FILE');
    expect(marksIn(wrong.output)).toEqual([]);
  });
});

describe('the log of a service', () => {
  /** Everything that it wrote until it had met its servers. */
  async function outputOf(
    app: 'timer' | 'agent',
    until: RegExp,
    environment: Record<string, string>,
  ): Promise<string> {
    const service = ServiceProcess.spawn(app, { CURTAIL_LOG_LEVEL: 'trace', ...environment });
    const [first] = await Promise.race([
      service.lines.until((line) => until.test(line)),
      service.ended.then(({ code }) => [`ended with ${code}`]),
    ]);
    expect(first).toBeDefined();
    await service.kill();
    return service.output;
  }

  it('has no secret of servers that are away or break off', async () => {
    const breaking = createTcpServer((socket) => socket.destroy());
    const port = await listening(breaking);
    const { cert, key } = await makeAuthority().then((authority) => authority.issue('client'));
    marks.set('CURTAIL_KAFKA_KEY', key.split('\n')[2]!);
    const broken = {
      DATABASE_URL: `postgres://ann:${mark('unreachable database')}@127.0.0.1:${port}/curtail`,
      KAFKA_BROKERS: `127.0.0.1:${port}`,
      REDIS_URL: `redis://:${mark('REDIS_URL')}@127.0.0.1:${port}`,
      CURTAIL_KAFKA_CERT: fileWith(cert),
      CURTAIL_KAFKA_KEY: fileWith(key),
    };
    const kinds: Record<string, string>[] = [
      {
        CURTAIL_KAFKA_SASL: 'plain',
        CURTAIL_KAFKA_USERNAME: 'ann',
        CURTAIL_KAFKA_PASSWORD: mark('CURTAIL_KAFKA_PASSWORD'),
      },
      {
        CURTAIL_KAFKA_SASL: 'oauthbearer',
        CURTAIL_KAFKA_TOKEN_FILE: fileWith(mark('CURTAIL_KAFKA_TOKEN_FILE')),
      },
      { CURTAIL_KAFKA_SASL: 'oauthbearer', CURTAIL_KAFKA_TOKEN_FILE: mark('a token in place of its file') },
    ];
    for (const sasl of kinds) {
      const output = await outputOf('timer', /retrying/, { ...broken, ...sasl });
      expect(output).toMatch(/"level":"(?:warn|error)"/);
      expect(marksIn(output)).toEqual([]);
    }
  }, 120_000);

  it.each([401, 500])(
    'has no token of a cluster that answers %d with what it was sent',
    async (status) => {
      const address = await echo(status);
      const kubeconfig = {
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'here' },
        contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
        clusters: [{ name: 'here', cluster: { server: address } }],
        users: [{ name: 'me', user: { token: mark('token of Kubernetes') } }],
      };
      const clusters: Record<string, string>[] = [
        { CURTAIL_AGENT_CLUSTER: 'kubernetes', CURTAIL_KUBECONFIG: fileWith(JSON.stringify(kubeconfig)) },
        {
          ...{ CURTAIL_AGENT_CLUSTER: 'yarn', CURTAIL_YARN_URL: address, CURTAIL_AGENT_PARTITION: 'marked' },
          CURTAIL_YARN_TOKEN_FILE: fileWith(mark('CURTAIL_YARN_TOKEN_FILE')),
        },
        {
          ...{ CURTAIL_AGENT_CLUSTER: 'ytsaurus', CURTAIL_YTSAURUS_URL: address },
          CURTAIL_YTSAURUS_TOKEN_FILE: fileWith(mark('CURTAIL_YTSAURUS_TOKEN_FILE')),
        },
      ];
      for (const cluster of clusters) {
        const output = await outputOf('agent', /"level":"(?:warn|error)"/, {
          ...cluster,
          KAFKA_BROKERS: kafkaBrokers().join(','),
          CURTAIL_KAFKA_TOPIC_PREFIX: `marked-${randomBytes(4).toString('hex')}.`,
        });
        expect({ cluster: cluster.CURTAIL_AGENT_CLUSTER, marks: marksIn(output) }).toEqual({
          cluster: cluster.CURTAIL_AGENT_CLUSTER,
          marks: [],
        });
        expect(output).not.toBe('');
      }
    },
    120_000,
  );
});
