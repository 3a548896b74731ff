import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tokenFromServer } from './client-credentials.js';

describe('tokenFromServer', () => {
  let server: Server;
  let asked: { authorization: string | undefined; body: string }[];
  let answer: { status: number; body: unknown };
  let tokenUrl: string;
  beforeEach(async () => {
    asked = [];
    answer = { status: 200, body: { access_token: 'token-1', expires_in: 300 } };
    server = createServer(async (request, response) => {
      asked.push({ authorization: request.headers.authorization, body: await bodyOf(request) });
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer.body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  });
  afterEach(() => {
    server.close();
  });

  const token = () =>
    tokenFromServer({ tokenUrl, clientId: 'curtail', clientSecret: 's3cret:+', scope: 'kafka' });

  it('asks with its credentials, and keeps the token while it lives', async () => {
    const ask = token();
    expect([await ask(), await ask()]).toEqual(['token-1', 'token-1']);
    const [{ authorization, body }] = asked as [(typeof asked)[number]];
    expect(asked).toHaveLength(1);
    expect(Buffer.from(authorization!.slice('Basic '.length), 'base64').toString()).toBe(
      'curtail:s3cret%3A%2B',
    );
    expect(body).toBe('grant_type=client_credentials&scope=kafka');
  });

  it('asks anew when the token has ended', async () => {
    answer.body = { access_token: 'token-1', expires_in: 0 };
    const ask = token();
    await ask();
    answer.body = { access_token: 'token-2', expires_in: 300 };
    expect(await ask()).toBe('token-2');
  });

  it.each([
    [{ status: 401, body: { error: 'invalid_client' } }, 'answers with status 401'],
    [{ status: 200, body: { token: 'elsewhere' } }, 'has no access_token'],
  ])('says what was answered: %j', async (given, says) => {
    answer = given;
    const failure = token()();
    await expect(failure).rejects.toThrow(says);
    await expect(failure).rejects.not.toThrow('s3cret');
  });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
