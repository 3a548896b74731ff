import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeAuthority } from '../../../../scripts/infra/index.js';
import { readContainers } from './answers.js';
import { YarnApi, type YarnApiOptions } from './yarn-api.js';

let servers: Server[] = [];
let apis: YarnApi[] = [];
afterEach(async () => {
  for (const api of apis) api.close();
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
  [servers, apis] = [[], []];
});
async function listening(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
function open(url: string, more: Partial<YarnApiOptions> = {}): YarnApi {
  const api = new YarnApi({ url, ...more });
  apis.push(api);
  return api;
}
const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html' };

describe('the REST API of YARN', () => {
  it.each(['rm:8088', 'ftp://rm', 'http://name:word@rm:8088', 'http://rm?a=1', '', 'http://a:1,https://b:1'])(
    'is not at %j',
    (url) => {
      expect(() => new YarnApi({ url })).toThrow(expect.objectContaining({ name: 'InputError' }));
    },
  );

  it('is asked as a user, or with a delegation token instead', async () => {
    const seen: unknown[] = [];
    const url = await listening((request, response) => {
      seen.push([request.url, request.headers['hadoop-yarn-rm-delegation-token']]);
      response.writeHead(200, json).end('{"apps":{}}');
    });
    expect(await open(url, { user: 'curtail' }).get('/apps?states=RUNNING')).toEqual({ apps: {} });
    await open(url, { user: 'curtail', token: () => 'secret' }).get('/apps');
    expect(seen).toEqual([
      ['/ws/v1/cluster/apps?states=RUNNING&user.name=curtail', undefined],
      ['/ws/v1/cluster/apps', 'secret'],
    ]);
  });

  it('keeps all entries of a map, whose key YARN repeats', async () => {
    const entries = (...amounts: [string, string][]) =>
      amounts.map(([key, value]) => `"entry":{"key":"${key}","value":"${value}"}`).join(',');
    const container = (amounts: string) =>
      `{"containerId":"container_1_0001_01_000002","assignedNodeId":"n1:1","allocatedMB":"1024","allocatedVCores":"1",` +
      `"startedTime":"1","diagnostics":"\\"entry\\":{}, {","allocatedResources":{${amounts}}}`;
    // In any order, with what looks like the end of an entry, and alone.
    const maps = [
      entries(['yarn.io/gpu', '2'], ['memory-mb', '1024'], ['vcores', '1']),
      entries(['memory-mb', '1024'], ['a}b', '3'], ['yarn.io/gpu', '2'], ['vcores', '1']),
      entries(['yarn.io/gpu', '2']),
    ];
    const url = await listening((_, response) => {
      response.writeHead(200, json).end(`{"container":[${maps.map(container).join()}]}`);
    });
    const containers = readContainers(await open(url).get('/containers'));
    expect(containers.map(({ resources }) => resources)).toEqual([
      { memory: 2 ** 30, vcore: 1000, 'yarn.io/gpu': 2 },
      { memory: 2 ** 30, vcore: 1000, 'a}b': 3, 'yarn.io/gpu': 2 },
      { memory: 2 ** 30, vcore: 1000, 'yarn.io/gpu': 2 },
    ]);
  });

  it('is asked by HTTPS with a certificate of a private authority, if that is given', async () => {
    const authority = await makeAuthority();
    const { cert, key } = await authority.issue('rm');
    const server = createSecureServer({ cert, key }, (_, response) => {
      response.writeHead(200, json).end('{"apps":{}}');
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await open(url, { ca: authority.ca }).get('/apps')).toEqual({ apps: {} });
    await expect(open(url).get('/apps')).rejects.toThrow(/cannot be reached: UNABLE_TO_VERIFY/);
    await expect(open(url).get('/apps')).rejects.toThrow('CURTAIL_YARN_CA');
  });

  it.each([
    ['a page of HTML', 200, html, '<html><title>Welcome</title></html>', /page of HTML: "Welcome".*no proxy/],
    ['something else', 200, json, 'OK', /something that is no JSON: "OK"/],
    ['a missing page', 404, html, '<html><title>Not Found</title></html>', /answers 404 with a page of HTML/],
    ['no authentication', 401, html, '<html></html>', /answers 401.*not Kerberos/],
    [
      'no right',
      403,
      json,
      '{"RemoteException":{"message":"Only admins"}}',
      /403 to the user curtail: "Only admins".*yarn\.admin\.acl\.$/,
    ],
    [
      'a refusal of a proxy',
      403,
      html,
      '<html><title>Forbidden</title></html>',
      /403 to the user curtail: "Forbidden".*if a proxy has answered, give the ResourceManager's own address/,
    ],
    ['an error', 500, json, '{"RemoteException":{"message":"broken"}}', /answers 500: "broken"/],
  ] as const)('names the address and the remedy for %s', async (_, status, headers, body, message) => {
    const url = await listening((_, response) => response.writeHead(status, headers).end(body));
    const asked = open(url, { user: 'curtail' }).get('/apps');
    await expect(asked).rejects.toThrow(message);
    await expect(asked).rejects.toThrow(url);
  });

  it('tells the time of a manager, which sends its Date twice', async () => {
    const date = 'Sun, 29 Nov 2026 05:06:07 GMT';
    const url = await listening((_, response) =>
      response.setHeader('date', [date, date]).writeHead(200, json).end('{"clusterInfo":{}}'),
    );
    expect(await open(url).date()).toBe(date);
  });

  it('does not follow a redirect to a login page', async () => {
    const url = await listening((_, response) =>
      response.writeHead(302, { location: 'http://sso.example/login?next=rm' }).end(),
    );
    await expect(open(url).get('/apps')).rejects.toThrow(
      /redirects to http:\/\/sso\.example\/login.*as login pages of proxies do/,
    );
  });

  it('asks the active one of several managers, and stays with it', async () => {
    let ofStandby = 0;
    const active = await listening((_, response) => response.writeHead(200, json).end('{"apps":{}}'));
    const standby = await listening((request, response) => {
      ofStandby++;
      response.writeHead(307, { location: active + request.url }).end('This is standby RM.');
    });
    const api = open(`${standby},${active}`);
    await api.get('/apps');
    await api.get('/apps');
    expect(ofStandby).toBe(1);
    expect(api.url).toBe(active);
  });

  it('names an active manager that is not among its addresses, and sends it nothing', async () => {
    const standby = await listening((request, response) =>
      response
        .writeHead(307, { location: `http://rm2.example:8088${request.url}` })
        .end('This is standby RM.'),
    );
    await expect(open(standby).get('/apps')).rejects.toThrow(
      'names http://rm2.example:8088 as the active one: add that address to --yarn-url (CURTAIL_YARN_URL)',
    );
  });

  it('asks the next one if a manager is down, or knows no active one', async () => {
    const lost = await listening((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/plain' })
        .end('There is no active ResourceManager right now.'),
    );
    const active = await listening((_, response) => response.writeHead(200, json).end('{"apps":{}}'));
    expect(await open(`http://127.0.0.1:1,${lost},${active}`).get('/apps')).toEqual({ apps: {} });
    await expect(open(`http://127.0.0.1:1,${lost}`).get('/apps')).rejects.toThrow(
      /No active ResourceManager answers: http:\/\/127\.0\.0\.1:1 cannot be reached.*knows no active one/,
    );
  });

  it('takes a broken off, a late and a too large answer for an error', async () => {
    const broken = await listening((_, response) => {
      response.writeHead(200, { ...json, 'content-length': '100' });
      response.write('{"apps":');
      setImmediate(() => response.destroy());
    });
    await expect(open(broken).get('/apps')).rejects.toThrow(/broke off/);
    const late = await listening(() => {});
    await expect(open(late, { answerMs: 50 }).get('/apps')).rejects.toThrow('has not answered in 0.05 s');
    const large = await listening((_, response) =>
      response.writeHead(200, json).end(`{"a":"${'x'.repeat(2000)}"}`),
    );
    await expect(open(large, { largestAnswer: 1000 }).get('/apps')).rejects.toThrow('is above 1000 bytes');
  });

  it('does not send a request again that may have been carried out', async () => {
    let sent = 0;
    const first = await listening((_, response) => {
      sent++;
      response.destroy();
    });
    const second = await listening((_, response) => {
      sent++;
      response.writeHead(200, json).end();
    });
    const signalled = open(`${first},${second}`).call('POST', '/containers/c1/signal/GRACEFUL_SHUTDOWN');
    await expect(signalled).rejects.toMatchObject({ code: 'no-answer' });
    expect(sent).toBe(1);
  });

  it('has no more requests at the same time than it may', async () => {
    let [now, most] = [0, 0];
    const held: (() => void)[] = [];
    const url = await listening((_, response) => {
      most = Math.max(most, ++now);
      held.push(() => {
        now--;
        response.writeHead(200, json).end('{}');
      });
      // All that may be there at the same time are there before the first one is answered.
      if (most >= 3) for (const answer of held.splice(0)) setImmediate(answer);
    });
    const api = open(url, { atOnce: 3 });
    await Promise.all(Array.from({ length: 20 }, () => api.get('/info')));
    expect(most).toBe(3);
  });
});
