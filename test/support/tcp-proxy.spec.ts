import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TcpProxy } from './tcp-proxy.js';

describe('TcpProxy', () => {
  let echo: Server;
  let received: string[];
  let proxy: TcpProxy;
  beforeEach(async () => {
    received = [];
    echo = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        received.push(String(bytes));
        socket.write(bytes);
      });
    }).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await TcpProxy.open({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });
  });
  afterEach(async () => {
    await proxy.cut();
    await new Promise((resolve) => echo.close(resolve));
  });

  async function dial(): Promise<Socket> {
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }
  async function ask(socket: Socket, text: string): Promise<string> {
    const answered = once(socket, 'data');
    socket.write(text);
    return String((await answered)[0]);
  }

  it('passes everything on', async () => {
    expect(await ask(await dial(), 'hello')).toBe('hello');
  });

  it('cuts who is connected, refuses who comes, and passes on again', async () => {
    const socket = await dial();
    await ask(socket, 'before');
    const closed = once(socket, 'close');
    await proxy.cut();
    await closed;
    const refused = connect(proxy.port, '127.0.0.1');
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    await proxy.pass();
    expect(await ask(await dial(), 'after')).toBe('after');
  });

  it('is a hole: takes bytes and connections, hands none on, and afterwards cuts those that have lost some', async () => {
    const quiet = await dial();
    const loud = await dial();
    await ask(quiet, 'quiet before');
    await ask(loud, 'loud before');
    await proxy.hole();
    const within = await dial();
    let answers = 0;
    for (const socket of [loud, within]) {
      socket.on('data', () => answers++);
      socket.write('lost');
    }
    while (proxy.lostBytes < 2 * 'lost'.length) await nextTurn();
    await proxy.pass();
    await Promise.all([once(loud, 'close'), once(within, 'close')]);
    expect(await ask(quiet, 'quiet after')).toBe('quiet after');
    expect(received).toEqual(['quiet before', 'loud before', 'quiet after']);
    expect(answers).toBe(0);
  });

  it('swallows the answer to the next big request, and only that', async () => {
    const socket = await dial();
    let swallowed = false;
    const happened = proxy.swallowNextAnswer(1000).then(() => {
      swallowed = true;
    });
    await ask(socket, 'small');
    expect(swallowed).toBe(false);
    let answers = 0;
    socket.on('data', () => answers++);
    const closed = once(socket, 'close');
    socket.write('x'.repeat(1000));
    await Promise.all([happened, closed]);
    expect(answers).toBe(0);
    expect(received.join('')).toBe(`small${'x'.repeat(1000)}`);
    expect(await ask(await dial(), 'y'.repeat(2000))).toMatch(/^y+$/);
  });
});
