import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { rawRequest } from '../testing/raw-request.js';
import { type SampleApp, startSampleApp } from '../testing/sample-app.js';

const token = 'correct-horse-battery';

describe('connections', () => {
  let sample: SampleApp;
  let sockets: Socket[];
  beforeEach(async () => {
    sockets = [];
    sample = await startSampleApp({ token, connectionLimit: 3 });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await sample.close();
  });

  /** Requests that are refused. @returns a function that counts the answers so far. */
  function flood(
    connections: number,
    localAddress: string,
    each: (socket: Socket) => void = () => {},
  ): () => number {
    let answers = 0;
    for (let count = 0; count < connections; count++) {
      const socket = connect({ port: sample.port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('data', () => {
        answers++;
        each(socket);
      });
      socket.write(request());
    }
    return () => answers;
  }

  it.each([
    ['another address', '127.0.0.2'],
    ['the same address', '127.0.0.1'],
  ])('are read before most of those of %s that came at once before them', async (_, address) => {
    await sample.close();
    sample = await startSampleApp({ token });
    const answers = flood(400, address);
    await open(request(`Authorization: Bearer ${token}\r\n`));
    expect(answers()).toBeLessThan(300);
  });

  it('that are refused are read again in their turn', async () => {
    await sample.close();
    sample = await startSampleApp({ token });
    const answers = flood(50, '127.0.0.2', (socket) => socket.write(request()));
    while (answers() < 50) await once(sockets[0]!, 'data');
    const before = answers();
    for (let count = 0; count < 200; count++) sockets.push(connect(sample.port, '127.0.0.1'));
    await open(request(`Authorization: Bearer ${token}\r\n`));
    expect(answers() - before).toBeLessThan(400);
  });

  it('with refused bodies are read a piece at a time, however many send', async () => {
    await sample.close();
    sample = await startSampleApp({ token });
    const received: Socket[] = [];
    const server: Server = sample.app.getHttpServer();
    server.on('connection', (socket) => received.push(socket));
    const readSoFar = () => received.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
    let longest = 0;
    let before = 0;
    let ended = 0;
    const connections = 30;
    const megabytes = Buffer.alloc(20_000_000);
    for (let count = 0; count < connections; count++) {
      const socket = connect(sample.port, '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => {}).on('data', () => {});
      socket.once('close', () => {
        ended++;
      });
      socket.write(
        `PUT /v1/sample/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${megabytes.length}\r\n\r\n`,
      );
      socket.write(megabytes);
    }
    while (ended < connections) {
      await new Promise(setImmediate);
      const now = readSoFar();
      longest = Math.max(longest, now - before);
      before = now;
    }
    expect(before).toBeGreaterThan(megabytes.length);
    expect(longest).toBeLessThan(8_000_000);
  });

  async function open(text = ''): Promise<Socket> {
    const socket = connect(sample.port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    if (text) {
      socket.write(text);
      await once(socket, 'data');
    }
    return socket;
  }
  const request = (more = '') => `GET /v1/sample/queues/q HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

  it('without an accepted request are closed when there are too many, the oldest first', async () => {
    const [silent, refused] = [await open(), await open(request())];
    const closed = Promise.all([once(silent, 'close'), once(refused, 'close')]);
    for (let count = 0; count < 3; count++) await open();
    await closed;
    expect(sockets.slice(2).map((socket) => socket.closed)).toEqual([false, false, false]);
  });

  it('with an accepted request stay', async () => {
    const known = await open(request(`Authorization: Bearer ${token}\r\n`));
    for (let count = 0; count < 10; count++) await open();
    const headers = { authorization: `Bearer ${token}` };
    expect((await rawRequest(sample.port, { path: '/v1/sample/queues/q', headers })).status).toBe(200);
    known.write(request(`Authorization: Bearer ${token}\r\n`));
    expect(String((await once(known, 'data'))[0])).toMatch(/^HTTP\/1\.1 200/);
  });
});
