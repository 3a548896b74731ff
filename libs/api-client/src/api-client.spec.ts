import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { AnswerError, ApiClient, type Page, ProblemError, pagesOf } from './index.js';

let close = () => {};
afterEach(() => close());

/** A client of a real server that answers like this. */
async function clientOf(answer: RequestListener): Promise<ApiClient> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => void server.close(() => {}).closeAllConnections();
  return new ApiClient({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

it('fills in the parameters of a path and of a query', async () => {
  const asked: string[] = [];
  const client = await clientOf(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    response.setHeader('content-type', 'application/json').end('{"items":[]}');
  });
  await client.get('/v1/names/{kind}', {
    params: { path: { kind: 'queue' }, query: { prefix: 'root.ä b', partition: undefined, limit: 3 } },
  });
  expect(asked).toEqual(['GET /v1/names/queue?prefix=root.%C3%A4%20b&limit=3']);
});

it('throws a refusal with its problem', async () => {
  const client = await clientOf((_, response) =>
    response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"title":"T","detail":"D"}'),
  );
  const refused = await client.get('/v1/status').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ProblemError);
  expect(refused).toMatchObject({ message: 'D', problem: { status: 404, title: 'T' } });
});

const body = { before: '2026-11-01T00:00:00Z' };

it('reads lines wherever they are cut, within a character too', async () => {
  const text = Buffer.from(
    '{"done":1,"of":2,"unit":"Äpfel"}\n\n{"done":2,"of":2}\n{"result":{"partitions":[],"events":0}}',
  );
  const client = await clientOf(async (_, response) => {
    for (const byte of text) {
      await new Promise((written) => response.write(Buffer.of(byte), written));
    }
    response.end();
  });
  const units: unknown[] = [];
  const result = await client.result(
    '/v1/log/archive',
    { body },
    (done, of, { unit }) => void units.push([done, of, unit]),
  );
  expect({ result, units }).toEqual({
    result: { partitions: [], events: 0 },
    units: [
      [1, 2, 'Äpfel'],
      [2, 2, undefined],
    ],
  });
});

it.each([
  ['{"done":1,"of":2}\n', 'no-result'],
  ['<html>\n', 'not-json'],
  ['{"error":{"message":"no room","path":"nodes"}}\n', 'failed'],
] as const)('refuses the lines %j: %s', async (text, code) => {
  const client = await clientOf((_, response) => response.end(text));
  const refused = await client.result('/v1/log/archive', { body }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(AnswerError);
  expect(refused).toMatchObject({ code });
});

it('reads pages until the last one, and no more of them than its caller takes', async () => {
  const pages: Record<string, Page<number>> = {
    '': { items: [1], next: 'b' },
    b: { items: [2], next: 'c' },
    c: { items: [3] },
  };
  const read: string[] = [];
  const page = async (after = '') => {
    read.push(after);
    return pages[after]!;
  };
  const all: number[] = [];
  for await (const { items } of pagesOf(page)) all.push(...items);
  expect({ all, read }).toEqual({ all: [1, 2, 3], read: ['', 'b', 'c'] });
  for await (const _ of pagesOf(page)) break;
  expect(read).toHaveLength(4);
});
