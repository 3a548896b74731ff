import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { rolesFor } from '#agents/kubernetes';
import { curtail } from '../../testing/test-terminal.js';

/** Answers like an API server that allows everything and holds nothing, except where a test changes it. */
class FakeApi {
  readonly answers = new Map<string, { code: number; body: unknown }>([
    ['GET /version', { code: 200, body: { gitVersion: 'v1.36.1', major: '1', minor: '36' } }],
    ['GET /api/v1/namespaces', list()],
    ['GET /api/v1/resourcequotas', list()],
    ['GET /apis/policy/v1/poddisruptionbudgets', list()],
    ['GET /apis', groups('apps')],
    ['GET /api/v1/pods', list()],
  ]);
  /** Calls that the caller may not make: `create pods/eviction`. */
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
    return this.url;
  }
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  private answer(response: ServerResponse, asked: string, text: string): void {
    const answer = (code: number, body: unknown) => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (asked.endsWith('selfsubjectaccessreviews')) {
      const { verb, resource, subresource } = JSON.parse(text).spec.resourceAttributes;
      const call = `${verb} ${[resource, subresource].filter(Boolean).join('/')}`;
      answer(201, { status: { allowed: !this.forbidden.includes(call) } });
      return;
    }
    if (asked.endsWith('selfsubjectreviews')) {
      answer(201, { status: { userInfo: { username: 'system:serviceaccount:curtail:agent' } } });
      return;
    }
    const { code, body } = this.answers.get(asked) ?? { code: 404, body: {} };
    answer(code, body);
  }
}

const groups = (...names: string[]) => ({
  code: 200,
  body: { groups: names.map((name) => ({ name })) },
});
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
    // Nothing listens on port 1 here.
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
    manifest?: string;
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
      'other schedulers',
    ]) {
      expect(of(name)).toEqual([expect.objectContaining({ status: 'ok' })]);
    }
    expect(of('disruption budgets')[0]?.message).toBe('there are none');
    expect(of('Kafka')[0]).toMatchObject({ status: 'note' });
    expect(of('Curtail')[0]).toMatchObject({
      status: 'note',
      message: 'no server answers at http://127.0.0.1:1',
    });
  });

  it('names each right that is missing, with one manifest that grants them all', async () => {
    api.forbidden = ['watch nodes', 'create pods/eviction'];
    const { status, of } = await examine('--enforce');
    expect(status).toBe(1);
    expect(of('rights to observe')[0]).toMatchObject({
      status: 'problem',
      message: 'missing: watch nodes',
      remedy: [expect.stringContaining('apply the manifest below')],
    });
    expect(of('rights to enforce')[0]).toMatchObject({
      status: 'problem',
      message: 'missing: create pods/eviction',
    });
    const objects = parseAllDocuments(of('rights to observe')[0]?.manifest ?? '').map((one) => one.toJS());
    expect(objects).toMatchObject([
      {
        kind: 'ClusterRole',
        metadata: { name: 'curtail-agent-enforce-namespaces' },
        rules: rolesFor(['observe', 'namespaces', 'enforce']).cluster,
      },
      {
        kind: 'ClusterRoleBinding',
        roleRef: { kind: 'ClusterRole', name: 'curtail-agent-enforce-namespaces' },
        subjects: [{ kind: 'ServiceAccount', name: 'agent', namespace: 'curtail' }],
      },
    ]);
    expect(of('rights to enforce')[0]).not.toHaveProperty('manifest');
  });

  it('prints only the manifest with --manifest, of the mode and of every namespace that it is about', async () => {
    const more = { CURTAIL_KUBERNETES_QUEUES: 'yunikorn', CURTAIL_AGENT_LEASE: 'agent' };
    const { stdout, status } = await curtail(['doctor', '--manifest'], { env: { ...env, ...more } });
    expect(status).toBe(0);
    const objects = parseAllDocuments(stdout).map((one) => one.toJS());
    expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
      ['ClusterRole', undefined, 'curtail-agent-observe-yunikorn'],
      [
        'ClusterRoleBinding',
        undefined,
        expect.stringMatching(/^curtail-agent-observe-yunikorn-[0-9a-f]{8}$/),
      ],
      ['Role', 'yunikorn', 'curtail-agent-yunikorn'],
      ['RoleBinding', 'yunikorn', expect.stringMatching(/^curtail-agent-yunikorn-/)],
      ['Role', 'curtail', 'curtail-agent-lease'],
      ['RoleBinding', 'curtail', expect.stringMatching(/^curtail-agent-lease-/)],
    ]);
  });

  it('does not ask for rights to evict where no one is to be evicted', async () => {
    api.forbidden = ['create pods/eviction'];
    expect((await examine()).of('rights to enforce')[0]?.status).toBe('note');
  });

  it.each([
    [3, '3 s ahead of'],
    [-60, 's behind'],
  ])('reports that the clock of the API server is off by %d s', async (seconds, how) => {
    api.aheadSeconds = seconds;
    const [clock] = (await examine()).of('clock of the API server');
    expect(clock).toMatchObject({ status: 'problem', message: expect.stringContaining(how) });
  });

  it('reports that a server is too old', async () => {
    api.answers.set('GET /version', { code: 200, body: { gitVersion: 'v1.24.0', major: '1', minor: '24+' } });
    expect((await examine()).of('API server')[0]).toMatchObject({
      status: 'problem',
      remedy: ['Upgrade the control plane.'],
    });
  });

  it('reports quotas that cannot be enforced, with the field', async () => {
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

  it('reports budgets that no controller counts', async () => {
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

  it('reports that no one verifies a server without TLS, and that one cannot be reached', async () => {
    expect((await examine()).of('TLS')[0]?.status).toBe('problem');
    await api.stop();
    const { status, of } = await examine();
    expect(status).toBe(1);
    expect(of('API server')[0]).toMatchObject({
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/ cannot be reached: .*ECONNREFUSED/),
      remedy: [
        'Check that it runs and that this machine can reach it (VPN, proxy, firewall): kubectl version',
      ],
    });
    api = new FakeApi();
    await api.start();
  });

  it('names the contexts that there are for one that there is not: exit status 2', async () => {
    const { status, stderr } = await curtail(['doctor', '--context', 'prod'], { env });
    expect(status).toBe(2);
    expect(stderr).toContain('has no context "prod": it has lab');
  });

  it('names what is wrong as it was given: an option, or a setting', async () => {
    const { CURTAIL_KUBECONFIG: file = '' } = env;
    const asOption = await curtail(['doctor', '--kubeconfig', file, '--context', 'prod'], {});
    expect(asOption.stderr).toContain(`  --context names no cluster: ${file} has no context "prod"`);
    const asSetting = await curtail(['doctor'], { env: { ...env, CURTAIL_KUBERNETES_CONTEXT: 'prod' } });
    expect(asSetting.stderr).toContain('  CURTAIL_KUBERNETES_CONTEXT names no cluster');
    const noFile = await curtail(['doctor', '--kubeconfig', join(folder, 'none')], {});
    expect(noFile.stderr).toContain('  --kubeconfig cannot be used: the kubeconfig cannot be read');
  });

  it('reports files of KUBECONFIG that do not exist', async () => {
    const { CURTAIL_KUBECONFIG: file = '', ...rest } = env;
    const none = join(folder, 'none');
    const before = process.env.KUBECONFIG;
    process.env.KUBECONFIG = `${none}:${file}`;
    try {
      env = rest;
      expect((await examine()).of('kubeconfig')).toEqual([
        { name: 'kubeconfig', status: 'note', message: `KUBECONFIG names ${none}, which does not exist` },
      ]);
    } finally {
      if (before === undefined) delete process.env.KUBECONFIG;
      else process.env.KUBECONFIG = before;
    }
  });

  it('shows how to start Curtail with the checked cluster', async () => {
    const { CURTAIL_KUBECONFIG: file = '', ...rest } = env;
    const { stdout } = await curtail(['doctor', '-o', 'json', '--kubeconfig', file, '--context', 'lab'], {
      env: rest,
    });
    const { checks } = JSON.parse(stdout) as { checks: Found[] };
    expect(checks.find(({ name }) => name === 'Curtail')?.remedy?.[0]).toBe(
      `Start it: curtail start --cluster kubernetes --kubeconfig ${file} --context lab`,
    );
    expect((await examine()).of('Curtail')[0]?.remedy?.[0]).toBe(
      'Start it: curtail start --cluster kubernetes',
    );
  });

  it('has the options of start: their place, mode, settings and queues are those that are checked', async () => {
    api.forbidden = ['create pods/eviction'];
    api.answers.set('GET /ws/v1/partitions', { code: 200, body: [] });
    const file = join(folder, 'settings');
    await writeFile(file, 'CURTAIL_YUNIKORN_URL=http://127.0.0.1:1\n');
    const port = new URL(api.url).port;
    const words = `--cluster kubernetes --mode enforce --queues yunikorn --settings ${file} --host 127.0.0.1 --port ${port} --data ${folder}/data`;
    const { of } = await examine(...words.split(' '), '--yunikorn-url', api.url);
    expect(of('YuniKorn')).toEqual([
      expect.objectContaining({ message: expect.stringContaining(`${api.url} has no partition yet`) }),
    ]);
    expect(of('rights to enforce')[0]?.status).toBe('problem');
    expect(of('Curtail')[0]?.message).toContain(`http://127.0.0.1:${port} answers 404`);
    expect(of('data folder')).toEqual([
      { name: 'data folder', status: 'ok', message: `${folder}/data can be written` },
    ]);
    const unusable = await examine('--data', `${file}/data`);
    expect(unusable.of('data folder')[0]).toMatchObject({ status: 'problem' });
    expect(unusable.of('Curtail')[0]?.remedy?.[0]).toBe(
      `Start it: curtail start --cluster kubernetes --data ${file}/data`,
    );
  });

  it.each([
    ['--cluster inventory', 'doctor checks Kubernetes'],
    ['--enforce --mode observe', 'contradict each other'],
  ])('refuses %s', async (words, expected) => {
    const { status, stderr } = await curtail(['doctor', ...words.split(' ')], { env });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(expected) });
  });

  it.each([
    ['Kueue', groups('apps', 'kueue.x-k8s.io')],
    ['Volcano', groups('scheduling.volcano.sh')],
  ])('reports that %s is there, and may evict by quotas of its own', async (scheduler, found) => {
    api.answers.set('GET /apis', found);
    expect((await examine()).of('other schedulers')).toEqual([
      expect.objectContaining({
        status: 'note',
        message: expect.stringContaining(`${scheduler} is installed`),
      }),
    ]);
  });

  it('does not look for other schedulers where it may not', async () => {
    api.answers.set('GET /api/v1/pods', { code: 403, body: {} });
    expect((await examine()).of('other schedulers')).toEqual([
      expect.objectContaining({ status: 'note', message: expect.stringContaining('not checked') }),
    ]);
  });

  it('reports that YuniKorn runs, and how to take queues from it', async () => {
    const pod = { metadata: { name: 'yunikorn-scheduler-1', namespace: 'yunikorn' } };
    api.answers.set('GET /api/v1/pods', list(pod));
    const [found] = (await examine()).of('other schedulers');
    expect(found).toMatchObject({ status: 'note', message: expect.stringContaining('YuniKorn runs') });
    expect(found?.remedy?.join(' ')).toContain(
      'curtail doctor --queues yunikorn --yunikorn-url http://127.0.0.1:9080',
    );
  });

  describe('with YuniKorn', () => {
    const partitions = [{ name: 'default', state: 'Active', preemptionEnabled: true }];
    const version = (buildVersion: string) => ({
      code: 200,
      body: [{ rmBuildInformation: [{ buildVersion }] }],
    });
    beforeEach(async () => {
      api.answers.set('GET /ws/v1/partitions', { code: 200, body: partitions });
      api.answers.set('GET /ws/v1/partition/default/queues', {
        code: 200,
        body: { queuename: 'root', status: 'Active' },
      });
      env = { ...env, CURTAIL_KUBERNETES_QUEUES: 'yunikorn', CURTAIL_YUNIKORN_URL: api.url };
    });

    it.each([
      ['1.9.0', 'ok', 'answers as 1.9.0; partitions: default'],
      ['v1.10.1', 'ok', 'answers as v1.10.1; partitions: default'],
      ['1.8.0', 'note', 'is 1.8.0: Curtail was tested with 1.9'],
      ['latest', 'note', 'is latest: Curtail was tested with 1.9'],
      ['', 'note', 'does not report its version: Curtail was tested with 1.9'],
    ])('of version %j is %s', async (buildVersion, status, message) => {
      api.answers.set('GET /ws/v1/clusters', version(buildVersion));
      expect((await examine()).of('YuniKorn')[0]).toMatchObject({
        status,
        message: expect.stringContaining(message),
      });
    });

    it('that cannot be reached has the way to it', async () => {
      env = { ...env, CURTAIL_YUNIKORN_URL: 'http://127.0.0.1:1' };
      expect((await examine()).of('YuniKorn')[0]).toMatchObject({
        status: 'problem',
        message: expect.stringContaining('cannot be reached'),
        remedy: ['From outside the cluster: kubectl -n yunikorn port-forward service/yunikorn-service 9080'],
      });
    });
  });

  it('shows what to do about brokers that cannot be reached', async () => {
    env = { ...env, KAFKA_BROKERS: '127.0.0.1:1' };
    expect((await examine()).of('Kafka')[0]).toMatchObject({
      status: 'problem',
      remedy: [
        'Check that the brokers run and that this machine can reach them: KAFKA_BROKERS is 127.0.0.1:1',
      ],
    });
  });

  it('names the file and the line of a kubeconfig that is no YAML, on lines of their own, and no token', async () => {
    const file = join(folder, 'broken');
    await writeFile(file, 'users:\n- user: {token: s3cr3t\n  name: a: b');
    const { status, stderr } = await curtail(['doctor'], { env: { ...env, CURTAIL_KUBECONFIG: file } });
    expect(status).toBe(2);
    expect(stderr.split('\n')[0]).toMatch(/One setting is missing or wrong$/);
    expect(stderr).toContain(
      `CURTAIL_KUBECONFIG cannot be used: the kubeconfig cannot be read: ${file}, line 3`,
    );
    expect(stderr).toContain('a simulated cluster, the default of curtail start, needs no check');
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
