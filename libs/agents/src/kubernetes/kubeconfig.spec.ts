import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Kubeconfig } from './kubeconfig.js';

let folder: string;
let written = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-test-kubeconfig-'));
});
afterAll(() => rm(folder, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function file(content: object | string): Promise<string> {
  const name = join(folder, `config-${++written}`);
  // JSON is YAML.
  await writeFile(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

const configOf = (user: object, cluster: object = {}, name = 'one') => ({
  clusters: [{ name, cluster: { server: 'https://127.0.0.1:6443/', ...cluster } }],
  users: [{ name, user }],
  contexts: [{ name, context: { cluster: name, user: name, namespace: `of-${name}` } }],
  'current-context': name,
});

async function optionsOf(user: object, cluster?: object): Promise<RequestOptions> {
  const config = new Kubeconfig();
  config.loadFromFile(await file(configOf(user, cluster)));
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  return options;
}

describe('what a request is given', () => {
  test('a token, and the authority that the server has to be of', async () => {
    const ca = base64('the authority');
    expect(await optionsOf({ token: 'secret' }, { 'certificate-authority-data': ca })).toEqual({
      ca: Buffer.from('the authority'),
      headers: { Authorization: 'Bearer secret' },
    });
  });

  test('certificates, from files beside the kubeconfig too', async () => {
    await writeFile(join(folder, 'key.pem'), 'the key');
    const user = { 'client-certificate-data': base64('the certificate'), 'client-key': 'key.pem' };
    expect(await optionsOf(user)).toMatchObject({
      cert: Buffer.from('the certificate'),
      key: Buffer.from('the key'),
    });
  });

  test('the token that is in its file now', async () => {
    const tokenFile = await file('first\n');
    const config = new Kubeconfig();
    config.loadFromFile(await file(configOf({ tokenFile })));
    const header = async () => {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return options.headers;
    };
    expect(await header()).toEqual({ Authorization: 'Bearer first' });
    await writeFile(tokenFile, 'second\n');
    expect(await header()).toEqual({ Authorization: 'Bearer second' });
  });

  test('the token of a program', async () => {
    const credential = { status: { token: 'of a program', expirationTimestamp: '2100-01-01T00:00:00Z' } };
    const exec = { command: process.execPath, args: ['-p', JSON.stringify(JSON.stringify(credential))] };
    expect(await optionsOf({ exec })).toMatchObject({ headers: { Authorization: 'Bearer of a program' } });
  });

  test('a name and a password, and who it speaks for', async () => {
    expect(await optionsOf({ username: 'ada', password: 'secret', as: 'eve' })).toMatchObject({
      auth: 'ada:secret',
      headers: { 'Impersonate-User': 'eve' },
    });
  });

  test('TLS that is verified unless the file disables it', async () => {
    expect(await optionsOf({ token: 't' })).not.toHaveProperty('rejectUnauthorized');
    const lax = await optionsOf(
      { token: 't' },
      { 'insecure-skip-tls-verify': true, 'tls-server-name': 'other' },
    );
    expect(lax).toMatchObject({ rejectUnauthorized: false, servername: 'other' });
  });

  test('nothing for a server without encryption', async () => {
    await expect(optionsOf({ token: 't' }, { server: 'http://127.0.0.1:8080' })).rejects.toThrow(
      'http://127.0.0.1:8080 is not encrypted: write https, or insecure-skip-tls-verify: true',
    );
  });

  test('the token of an identity provider', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'none' })}.${part({ exp: 4_102_444_800 })}.none`;
    const user = { 'auth-provider': { name: 'oidc', config: { 'id-token': token } } };
    expect((await optionsOf(user)).headers).toMatchObject({ Authorization: `Bearer ${token}` });
  });
});

describe('where it comes from', () => {
  const before = process.env.KUBECONFIG;
  afterAll(() => {
    if (before === undefined) delete process.env.KUBECONFIG;
    else process.env.KUBECONFIG = before;
  });

  test('all files of KUBECONFIG, the first of which counts', async () => {
    const [one, two] = [await file(configOf({}, {}, 'one')), await file(configOf({}, {}, 'two'))];
    process.env.KUBECONFIG = `${one}:${two}`;
    const config = new Kubeconfig();
    config.loadFromDefault();
    expect(config.getContexts().map(({ name }) => name)).toEqual(['one', 'two']);
    expect(config.getCurrentContext()).toBe('one');
    config.setCurrentContext('two');
    expect(config.getCurrentCluster()).toMatchObject({ name: 'two', server: 'https://127.0.0.1:6443' });
    expect(config.getContextObject('two')?.namespace).toBe('of-two');
  });

  test('the files of KUBECONFIG that exist, as kubectl does', async () => {
    const [none, one, other] = [
      join(folder, 'none'),
      await file(configOf({}, {}, 'one')),
      join(folder, 'other'),
    ];
    process.env.KUBECONFIG = `${none}:${one}:${other}`;
    const config = new Kubeconfig();
    config.loadFromDefault();
    expect(config.getCurrentContext()).toBe('one');
    expect(config.missingFiles).toEqual([none, other]);
  });

  test('not a KUBECONFIG of which no file exists', () => {
    const files = [join(folder, 'none'), join(folder, 'other')];
    process.env.KUBECONFIG = files.join(':');
    expect(() => new Kubeconfig().loadFromDefault()).toThrow(
      `no file of KUBECONFIG exists: ${files.join(', ')}`,
    );
  });

  test('not a KUBECONFIG with a file that cannot be read', () => {
    process.env.KUBECONFIG = folder;
    expect(() => new Kubeconfig().loadFromDefault()).toThrow('EISDIR');
  });

  test('a file that is none', () => {
    expect(() => new Kubeconfig().loadFromFile(join(folder, 'none'))).toThrow('ENOENT');
  });

  test.each([
    ['a map where a text was begun', 'users:\n- user: {token: s3cr3t\n  name: a: b', 'line 3, column 3'],
    ['a tab', 'users:\n- name: a\n  user:\n\ttoken: s3cr3t', 'line 4, column 1'],
    ['a text that does not end', 'users:\n- user:\n    token: "s3cr3t', 'line 3'],
    ['an alias of nothing', 'token: *s3cr3t', 'an alias'],
    ['a list', '- s3cr3t', 'not a kubeconfig'],
    ['a text', 's3cr3t', 'not a kubeconfig'],
    ['a text behind the text', 'token: "a" s3cr3t', 'line 1'],
  ])(
    'names the file and the line of a mistake, and nothing of its text: %s',
    async (_what, content, where) => {
      const name = await file(content);
      let message = '';
      try {
        new Kubeconfig().loadFromFile(name);
      } catch (error) {
        message = String(error);
      }
      expect(message).toContain(name);
      expect(message).toContain(where);
      expect(message).not.toContain('s3cr3t');
    },
  );
});

describe('in a pod', () => {
  const keys = ['KUBECONFIG', 'HOME', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT'] as const;
  const before = Object.fromEntries(keys.map((key) => [key, process.env[key]]));
  afterEach(() => {
    for (const key of keys) {
      if (before[key] === undefined) delete process.env[key];
      else process.env[key] = before[key];
    }
  });

  test.each([
    ['10.0.0.1', 'https://10.0.0.1:6443'],
    ['fd00::1', 'https://[fd00::1]:6443'],
  ])('without a kubeconfig, its service account counts: %s', async (host, server) => {
    const account = await mkdtemp(join(folder, 'account-'));
    await writeFile(join(account, 'token'), 'of the pod\n');
    await writeFile(join(account, 'ca.crt'), 'the authority');
    await writeFile(join(account, 'namespace'), 'curtail\n');
    delete process.env.KUBECONFIG;
    Object.assign(process.env, {
      HOME: account,
      KUBERNETES_SERVICE_HOST: host,
      KUBERNETES_SERVICE_PORT: '6443',
    });
    const config = new Kubeconfig(account);
    config.loadFromDefault();
    expect(config.getCurrentCluster()?.server).toBe(server);
    expect(config.getContextObject(config.getCurrentContext())?.namespace).toBe('curtail');
    const options: RequestOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    expect(options).toEqual({
      ca: Buffer.from('the authority'),
      headers: { Authorization: 'Bearer of the pod' },
    });
    await writeFile(join(account, 'token'), 'the next one\n');
    await config.applyToHTTPSOptions(options);
    expect(options.headers).toEqual({ Authorization: 'Bearer the next one' });
  });
});
