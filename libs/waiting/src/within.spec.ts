import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { collectGarbage } from '../../../test/support/collect-garbage.js';
import { within } from './within.js';

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

describe('work within limits', () => {
  it('is given up after its time', async () => {
    await expect(within({ ms: 1 }, aborted)).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('is given up with any of its signals, for its reason, even one aborted before', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const working = within({ signals: [first.signal, undefined, second.signal] }, aborted);
    second.abort(new Error('enough'));
    await expect(working).rejects.toThrow('enough');
    await expect(within({ ms: 60_000, signals: [second.signal] }, aborted)).rejects.toThrow('enough');
  });

  it('may wait for one signal many times over, which Node does not report as a leak', async () => {
    const warnings: string[] = [];
    const warned = ({ name }: Error) => warnings.push(name);
    process.on('warning', warned);
    const client = new AbortController();
    const working = Array.from({ length: 20 }, () => within({ signals: [client.signal] }, aborted));
    client.abort(new Error('gone'));
    await Promise.allSettled(working);
    await new Promise(setImmediate);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  it('returns its result, and leaves no listener on a signal that outlives it', async () => {
    const listeners: string[] = [];
    const { signal } = new AbortController();
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = ((type: string, listener: () => void, options: { signal: AbortSignal }) => {
      listeners.push(type);
      options.signal.addEventListener('abort', () => listeners.pop());
      add(type, listener, options);
    }) as typeof signal.addEventListener;
    expect(await within({ ms: 60_000, signals: [signal] }, async () => listeners.length)).toBe(1);
    expect(listeners).toEqual([]);
  });

  it('is given up even after a garbage collection', async () => {
    const server = createServer((_, response) => response.writeHead(200).write('a'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const body = within({ ms: 400, signals: [new AbortController().signal] }, async (signal) => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { signal });
      const collecting = setInterval(collectGarbage, 10);
      await response.text().finally(() => clearInterval(collecting));
    });
    await expect(body).rejects.toMatchObject({ name: 'TimeoutError' });
    // The read may continue without its signal: it ends with its connection.
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});
