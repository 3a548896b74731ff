import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { collectGarbage } from '../../../../test/support/collect-garbage.js';
import { YunikornApi } from './yunikorn-api.js';

let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  server = undefined;
});
async function answering(listener: RequestListener): Promise<YunikornApi> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return YunikornApi.open(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/`);
}

describe('the REST API of YuniKorn', () => {
  it.each(['yunikorn:9080', 'ftp://yunikorn', 'http://name:word@yunikorn:9080', 'http://yunikorn?a=1', ''])(
    'is not at %j',
    (address) => {
      expect(() => YunikornApi.open(address)).toThrow(expect.objectContaining({ name: 'InputError' }));
    },
  );

  it('reports what it refuses', async () => {
    const api = await answering((_, response) =>
      response.writeHead(404).end('{"status_code":404,"message":"Partition not found","description":""}'),
    );
    await expect(api.json('/ws/v1/partitions')).rejects.toThrow(
      /^YuniKorn answered 404 to http.*\/ws\/v1\/partitions: Partition not found$/,
    );
  });

  it('is not whatever answers there', async () => {
    const api = await answering((_, response) => response.end('<html>'));
    await expect(api.json('/ws/v1/partitions')).rejects.toThrow(
      'is not YuniKorn: it sends no JSON, but "<html>"',
    );
  });

  it('is followed nowhere else', async () => {
    const api = await answering((_, response) =>
      response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end(),
    );
    await expect(api.json('/ws/v1/partitions')).rejects.toThrow('YuniKorn cannot be reached');
  });

  it('is reported as unreachable, or as broken off', async () => {
    const api = await answering((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('[');
      setImmediate(() => response.destroy());
    });
    await expect(api.json('/ws/v1/partitions')).rejects.toThrow('broke off');
    server?.closeAllConnections();
    await new Promise<void>((resolve) => server!.close(() => resolve()));
    server = undefined;
    await expect(api.json('/ws/v1/partitions')).rejects.toThrow(/cannot be reached at .*ECONNREFUSED/);
  });

  it('explains why it would refuse a configuration', async () => {
    const bodies: string[] = [];
    const api = await answering((request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)));
      request.on('end', () =>
        response.end(
          bodies.length === 1
            ? '{"allowed":false,"reason":"max is below a child"}'
            : '{"allowed":true,"reason":""}',
        ),
      );
    });
    expect(await api.refusal('a: 1')).toBe('max is below a child');
    expect(await api.refusal('a: 2')).toBeUndefined();
    expect(bodies).toEqual(['a: 1', 'a: 2']);
  });

  it('reports every event', async () => {
    const api = await answering((_, response) => {
      response.write('{"InstanceUUID":"1"}\n');
      response.end('{"type":2}\n');
    });
    let events = 0;
    await api.follow(() => events++, new AbortController().signal);
    expect(events).toBe(2);
  });

  it('is left on request, even after a garbage collection', async () => {
    const api = await answering((_, response) => response.write('{"InstanceUUID":"1"}\n'));
    const leaving = new AbortController();
    const following = await new Promise<{ ended: Promise<void> }>((resolve) => {
      const ended = api.follow(() => resolve({ ended }), leaving.signal);
    });
    for (let times = 0; times < 10; times++) {
      await delay(10);
      collectGarbage();
    }
    leaving.abort();
    await following.ended;
  });
});
