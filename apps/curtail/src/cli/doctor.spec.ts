import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { curtail } from './test-terminal.js';

/** Answers what an API server does that allows everything and holds nothing, but for what a test changes. */
class FakeApi {
  readonly answers = new Map<string, { code: number; body: unknown }>([
    ['GET /version', { code: 200, body: { gitVersion: 'v1.36.1', major: '1', minor: '36' } }],
    ['GET /api/v1/namespaces', list()],
    ['GET /api/v1/resourcequotas', list()],
    ['GET /apis/policy/v1/poddisruptionbudgets', list()],
  ]);
  /** What the caller may not do: `create pods/eviction`. */
  forbidden: string[] = [];
  aheadSeconds = 0;
  readonly asked: string[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = request.url?.split('?')[0];
      this.asked.push(`${request.method} ${path}`);
      response.setHeader('date', new Date(Date.now() + this.aheadSeconds * 1000).toUTCString());
      this.answer(response, `${request.method} ${path}`, Buffer.concat(chunks).toString());
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(response: ServerResponse, asked: string, text: string): void {
    const said = (code: number, body: unknown) => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (asked.endsWith('selfsubjectaccessreviews')) {
      const { verb, resource, subresource } = JSON.parse(text).spec.resourceAttributes;
      const call = `${verb} ${[resource, subresource].filter(Boolean).join('/')}`;
      said(201, { status: { allowed: !this.forbidden.includes(call) } });
      return;
    }
    if (asked.endsWith('selfsubjectreviews')) {
      said(201, { status: { userInfo: { username: 'system:serviceaccount:curtail:agent' } } });
      return;
    }
    const { code, body } = this.answers.get(asked) ?? { code: 404, body: {} };
    said(code, body);
  }
}

const list = (...items: object[]) => ({ code: 200, body: { metadata: {}, items } });

describe('curtail doctor', () => {
  let api: FakeApi;
  let folder: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    api = new FakeApi();
    folder = await mkdtemp(join(tmpdir(), 'curtail-doctor-'));
    const server = await api.start();
    await writeFile(join(folder, 'config'), kubeconfig(server));
    // Port 1 is of nobody here.
    env = { CURTAIL_KUBECONFIG: join(folder, 'config'), CURTAIL_SERVER: 'http://127.0.0.1:1' };
  });
  afterEach(async () => {
    await api.stop();
    await rm(folder, { recursive: true });
  });

  interface Found {
    name: string;
    status: string;
    message: string;
    remedy?: string[];
  }
  async function examine(...words: string[]): Promise<{ status: number; of: (name: string) => Found[] }> {
    const { status, stdout, stderr } = await curtail(['doctor', '-o', 'json', ...words], { env });
    if (stdout === '') throw new Error(stderr);
    const { checks } = JSON.parse(stdout) as { checks: Found[] };
    return { status, of: (name) => checks.filter((check) => check.name === name) };
  }

  it('only reads', async () => {
    await examine();
    const written = api.asked.filter((one) => !/^GET |selfsubject(access)?reviews$/.test(one));
    expect(written).toEqual([]);
    expect(api.asked).toContain('GET /apis/policy/v1/poddisruptionbudgets');
  });

  it('says of each thing whether it is well', async () => {
    const { of } = await examine();
    for (const name of [
      'API server',
      'rights to observe',
      'rights to enforce',
      'disruption budgets',
      'clock of the API server',
    ]) {
      expect(of(name)).toEqual([expect.objectContaining({ status: 'ok' })]);
    }
    expect(of('disruption budgets')[0]?.message).toBe('there are none');
    expect(of('Kafka')[0]).toMatchObject({ status: 'note' });
    expect(of('Curtail')[0]).toMatchObject({ status: 'note', message: 'none answers at http://127.0.0.1:1' });
  });

  it('names each right that is missing, with the commands that grant it', async () => {
    api.forbidden = ['watch nodes', 'create pods/eviction'];
    const { status, of } = await examine('--enforce');
    expect(status).toBe(1);
    expect(of('rights to observe')[0]).toMatchObject({
      status: 'problem',
      message: 'missing: watch nodes',
      remedy: [
        'kubectl create clusterrole curtail-agent-nodes --verb=watch --resource=nodes',
        'kubectl create clusterrolebinding curtail-agent-nodes --clusterrole=curtail-agent-nodes --serviceaccount=curtail:agent',
      ],
    });
    expect(of('rights to enforce')[0]).toMatchObject({
      status: 'problem',
      message: 'missing: create pods/eviction',
    });
  });

  it('does not ask for rights to evict where nobody is to be evicted', async () => {
    api.forbidden = ['create pods/eviction'];
    expect((await examine()).of('rights to enforce')[0]?.status).toBe('note');
  });

  it.each([
    [3, '3 s ahead of'],
    [-60, 's behind'],
  ])('tells that the clock of the API server is off by %d s', async (seconds, how) => {
    api.aheadSeconds = seconds;
    const [clock] = (await examine()).of('clock of the API server');
    expect(clock).toMatchObject({ status: 'problem', message: expect.stringContaining(how) });
  });

  it('tells that a server is too old', async () => {
    api.answers.set('GET /version', { code: 200, body: { gitVersion: 'v1.24.0', major: '1', minor: '24+' } });
    expect((await examine()).of('API server')[0]).toMatchObject({
      status: 'problem',
      remedy: ['Upgrade the control plane.'],
    });
  });

  it('tells quotas that cannot be enforced, with the field', async () => {
    const namespace = {
      metadata: {
        name: 'a',
        uid: 'u',
        resourceVersion: '1',
        annotations: { 'curtail.io/quota-preemption-delay': 'soon' },
      },
    };
    api.answers.set('GET /api/v1/namespaces', list(namespace));
    const { status, of } = await examine();
    expect(status).toBe(1);
    expect(of('quotas').find((check) => check.status === 'problem')).toMatchObject({
      message: expect.stringContaining(
        'Namespace a: metadata.annotations["curtail.io/quota-preemption-delay"]: ',
      ),
      remedy: ['kubectl edit namespace a'],
    });
  });

  it('counts quotas, and the namespaces with a delay of their own', async () => {
    const delay = { 'curtail.io/quota-preemption-delay': '10m' };
    const namespace = (name: string, annotations?: object) => ({
      metadata: { name, uid: name, resourceVersion: '1', ...(annotations && { annotations }) },
    });
    api.answers.set('GET /api/v1/namespaces', list(namespace('a', delay), namespace('b')));
    expect((await examine()).of('quotas')[0]).toMatchObject({
      status: 'ok',
      message: '0 in 2 namespaces, of which 1 has a delay of its own',
    });
  });

  it('tells budgets that no controller counts', async () => {
    const budget = {
      metadata: { name: 'b', namespace: 'a', generation: 1 },
      status: { observedGeneration: 0 },
    };
    api.answers.set('GET /apis/policy/v1/poddisruptionbudgets', list(budget));
    expect((await examine()).of('disruption budgets')[0]).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('a/b'),
    });
  });

  it('says that nobody verifies a server without TLS, and that one cannot be reached', async () => {
    expect((await examine()).of('TLS')[0]?.status).toBe('problem');
    await api.stop();
    const { status, of } = await examine();
    expect(status).toBe(1);
    expect(of('API server')[0]?.message).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/ cannot be reached: .*ECONNREFUSED/,
    );
    api = new FakeApi();
    await api.start();
  });

  it('names the contexts that there are for one that there is not: exit status 2', async () => {
    const { status, stderr } = await curtail(['doctor', '--context', 'prod'], { env });
    expect(status).toBe(2);
    expect(stderr).toContain('has no context "prod": it has lab');
  });

  it('names the file and the line of a kubeconfig that is no YAML, on lines of their own, and no token', async () => {
    const file = join(folder, 'broken');
    await writeFile(file, 'users:\n- user: {token: s3cr3t\n  name: a: b');
    const { status, stderr } = await curtail(['doctor'], { env: { ...env, CURTAIL_KUBECONFIG: file } });
    expect(status).toBe(2);
    expect(stderr.split('\n')[0]).toMatch(/One setting is missing or wrong:$/);
    expect(stderr).toContain(
      `CURTAIL_KUBECONFIG cannot be used: the kubeconfig cannot be read: ${file}, line 3`,
    );
    expect(stderr).not.toContain('s3cr3t');
    expect(stderr).not.toContain('\uFFFD');
  });
});

const kubeconfig = (server: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'me', user: { token: 't' } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'me' } }],
    'current-context': 'lab',
  });
