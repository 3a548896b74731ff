import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { json, lines, problemReply, type Reply, TestServer } from '../../../testing/test-server.js';
import { Client } from './client.js';
import { NoAnswerError, ServerError } from './server-error.js';

const limits = { answerMs: 5000, silenceMs: 5000, answerBytes: 1000 };

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

async function errorOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => new Error('nothing was refused'),
    (thrown: Error) => thrown,
  );
  return error;
}

describe('the client', () => {
  it('sends its token, what it was given, and the partition in the address', async () => {
    server.replies['PUT /v1/partitions/a%2Fb/config'] = json({ fine: true });
    const client = new Client(`${server.url}/`, 'a-long-enough-token');
    const answer = await client.put('/v1/partitions/{partition}/config', {
      params: {
        path: { partition: 'a/b' },
        query: { dryRun: true, format: undefined },
        header: { 'if-match': '"3"' },
      },
      headers: { 'content-type': 'application/yaml' },
      body: 'a: 1',
    });
    expect(answer).toEqual({ fine: true });
    expect(server.seen).toEqual([
      expect.objectContaining({
        url: '/v1/partitions/a%2Fb/config?dryRun=true',
        body: 'a: 1',
        headers: expect.objectContaining({
          authorization: 'Bearer a-long-enough-token',
          'content-type': 'application/yaml',
          'if-match': '"3"',
        }),
      }),
    ]);
  });

  it('reports a refusal with what is wrong and what to do', async () => {
    server.replies['GET /v1/status'] = problemReply(409, {
      type: 'urn:curtail:problem:already-over',
      title: 'The run is over',
      detail: 'Run e-1 has ended already.',
      remedy: 'See curtail get enforcements',
    });
    const error = await errorOf(new Client(server.url).get('/v1/status'));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({
      message: 'Run e-1 has ended already.',
      details: { next: 'See curtail get enforcements', list: [] },
      code: 'already-over',
    });
  });

  it('reports every field that is wrong, a single one in the sentence', async () => {
    const errors = [
      { path: 'a', message: 'is negative' },
      { path: 'b', message: 'is no queue', line: 3, column: 5 },
    ];
    server.replies['GET /v1/rounds'] = problemReply(400, {
      title: 'Bad',
      detail: '2 things are wrong',
      errors,
    });
    server.replies['GET /v1/pools'] = problemReply(400, {
      type: 'urn:curtail:problem:bad-input',
      title: 'Bad',
      detail: 'is negative',
      errors: errors.slice(0, 1),
    });
    const client = new Client(server.url);
    expect(await errorOf(client.get('/v1/rounds'))).toMatchObject({
      message: '2 things are wrong',
      details: { list: ['a: is negative', '3:5: b: is no queue'] },
    });
    expect(await errorOf(client.get('/v1/pools'))).toMatchObject({
      message: 'a: is negative',
      details: { list: [] },
    });
    server.replies['GET /v1/queues'] = problemReply(422, {
      type: 'urn:curtail:problem:configuration-refused',
      title: 'Refused',
      detail: 'One thing is wrong.',
      errors: errors.slice(0, 1),
    });
    expect(await errorOf(client.get('/v1/queues'))).toMatchObject({
      message: 'One thing is wrong.',
      details: { list: ['a: is negative'] },
    });
  });

  it('shows how to give a token, and never shows the one it has', async () => {
    server.replies['GET /v1/status'] = problemReply(401, {
      title: 'Token required',
      detail: 'The token is another.',
    });
    const error = await errorOf(new Client(server.url, 'hunter22hunter22').get('/v1/status'));
    expect(error).toMatchObject({ details: { next: expect.stringContaining('CURTAIL_TOKEN') } });
    expect(JSON.stringify(error) + error.message + error.stack).not.toContain('hunter22');
  });

  it('names the request under which the log mentions a fault', async () => {
    server.replies['GET /v1/status'] = problemReply(500, {
      title: 'Curtail failed',
      detail: 'inside',
      requestId: 'r-17',
    });
    expect(await errorOf(new Client(server.url).get('/v1/status'))).toMatchObject({
      details: { next: expect.stringContaining('r-17') },
    });
  });

  it('reports that no one listens, and what to start', async () => {
    const { url } = server;
    await server.stop();
    server = await TestServer.start();
    const error = await errorOf(new Client(url).get('/v1/status'));
    expect(error).toBeInstanceOf(NoAnswerError);
    expect(error.message).toBe(`no Curtail answers at ${url} (ECONNREFUSED)`);
    expect(error).toMatchObject({ details: { next: 'start one with `curtail start`, or give --server' } });
  });

  it('names the address without TLS where the server does not speak it', async () => {
    const client = new Client(server.url.replace('http:', 'https:'), undefined);
    const error = await errorOf(client.get('/v1/status'));
    expect(error).toMatchObject({
      message: `the server at ${server.url.replace('http:', 'https:')} does not speak TLS`,
      details: { next: `give its address as ${server.url}` },
    });
  });

  it('does not follow to another place, where the token does not belong', async () => {
    const other = await TestServer.start();
    try {
      server.replies['GET /v1/status'] = (_, response) =>
        void response.writeHead(302, { location: other.url }).end();
      const error = await errorOf(new Client(server.url, 'a-long-enough-token').get('/v1/status'));
      expect(error.message).toContain(`redirects to ${other.url}`);
      expect(other.seen).toEqual([]);
    } finally {
      await other.stop();
    }
  });

  it('knows what is no Curtail', async () => {
    server.replies['GET /v1/queues'] = (_, response) => void response.end('<html>');
    server.replies['GET /v1/pools'] = (_, response) => void response.writeHead(502).end('<html>');
    expect((await errorOf(new Client(server.url).get('/v1/queues'))).message).toContain(
      'is this a Curtail server?',
    );
    expect((await errorOf(new Client(server.url).get('/v1/pools'))).message).toContain('status 502');
  });

  it('sends a read and a stop again when the connection breaks, and a command once', async () => {
    const breaking =
      (times: number): Reply =>
      (seen, response) =>
        server.seen.filter(({ url, method }) => url === seen.url && method === seen.method).length <= times
          ? void response.socket?.destroy()
          : json({ fine: seen.body })(seen, response);
    server.replies['GET /v1/kill-switch'] = breaking(2);
    server.replies['POST /v1/kill-switch'] = breaking(2);
    server.replies['POST /v1/enforcements/e-1/cancel'] = breaking(1);
    const client = new Client(server.url);
    expect(await client.get('/v1/kill-switch')).toEqual({ fine: '' });
    const stopped = await client.post('/v1/kill-switch', { body: { partition: 'a', by: 'ada' } });
    expect(stopped).toEqual({ fine: '{"partition":"a","by":"ada"}' });
    const params = { path: { enforcement: 'e-1' } };
    const cancelled = client.post('/v1/enforcements/{enforcement}/cancel', { params, body: { by: 'ada' } });
    expect((await errorOf(cancelled)).message).toContain('the connection broke');
    expect(server.seen.map(({ method }) => method).sort()).toEqual([
      ...['GET', 'GET', 'GET', 'POST', 'POST', 'POST', 'POST'],
    ]);
  });

  it('reads an answer that is packed, also one that is packed wrongly', async () => {
    const packed =
      (body: Buffer): Reply =>
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
          .end(body);
    const whole = gzipSync('{"items":[]}');
    server.replies['GET /v1/queues'] = packed(whole);
    server.replies['GET /v1/pools'] = packed(whole.subarray(0, 20));
    expect(await new Client(server.url).get('/v1/queues')).toEqual({ items: [] });
    expect(server.seen[0]?.headers['accept-encoding']).toBe('gzip');
    expect((await errorOf(new Client(server.url).get('/v1/pools'))).message).toContain('unexpected end');
  });

  it('reads no more than its limit, and waits no longer', async () => {
    server.replies['GET /v1/events'] = json('x'.repeat(2000));
    server.replies['GET /v1/queues'] = () => {};
    const large = await errorOf(new Client(server.url, undefined, limits).get('/v1/events'));
    expect(large.message).toContain('larger than 1000 bytes');
    const hasty = new Client(server.url, undefined, { ...limits, answerMs: 50 });
    expect(await errorOf(hasty.get('/v1/queues'))).toBeInstanceOf(NoAnswerError);
  });

  it.each([
    ['curtail', 'is not an address'],
    ['ftp://host', 'is not an http or https address'],
    ['http://user:hunter22@host', 'leave them out'],
    ['http://host/?a=b', 'more than a host and a path'],
  ])('refuses the address %s', (address, message) => {
    expect(() => new Client(address)).toThrow(message);
    expect(() => new Client(address)).not.toThrow('hunter22');
  });
});

describe('a stream', () => {
  const streamed = async (client = new Client(server.url)) => {
    const seen: [number, number][] = [];
    const result = await client.result(
      '/v1/log/archive',
      { body: { before: 'x' } },
      (done, of) => void seen.push([done, of]),
    );
    return { result, seen };
  };

  it('shows how far it is, then the result', async () => {
    server.replies['POST /v1/log/archive'] = lines([
      { done: 0, of: 2 },
      { done: 2, of: 2 },
      { result: { plans: 2 } },
    ]);
    expect(await streamed()).toEqual({
      result: { plans: 2 },
      seen: [
        [0, 2],
        [2, 2],
      ],
    });
  });

  it('ends with the error that it reports', async () => {
    server.replies['POST /v1/log/archive'] = lines([
      { done: 0, of: 2 },
      { error: { message: 'no room', path: 'nodes' } },
    ]);
    expect((await errorOf(streamed())).message).toBe('nodes: no room');
  });

  it.each([true, false])('is no success without a result (connection cut: %s)', async (cut) => {
    server.replies['POST /v1/log/archive'] = lines([{ done: 0, of: 2 }], { cut });
    expect(await errorOf(streamed())).toBeInstanceOf(NoAnswerError);
  });

  it('is given up when it falls silent', async () => {
    server.replies['POST /v1/log/archive'] = (_, response) => void response.write('{"done":0,"of":2}\n');
    const hasty = new Client(server.url, undefined, { ...limits, silenceMs: 100 });
    expect((await errorOf(streamed(hasty))).message).toContain('gave no answer in 0.1 s');
  });
});
