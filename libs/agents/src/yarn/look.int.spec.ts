import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Look, takeLook } from './look.js';
import { YarnApi } from './yarn-api.js';
import { settledPending } from './yarn-inventory.js';

/** An application of a manager that is played; each container has 1024 MB and a vcore. */
interface Played {
  containers: number;
  /** Absent: the totals fit the containers. */
  shown?: number;
  pending?: number;
  state?: string;
}

const amounts = (memory: number, vCores: number) => ({ memory, vCores });
const info = { startedOn: 1, state: 'STARTED', haState: 'ACTIVE', resourceManagerVersion: '3.4.2' };
const part = {
  partitionName: '',
  effectiveMinResource: amounts(4096, 4),
  effectiveMaxResource: amounts(4096, 4),
};

describe('a look at YARN', () => {
  let server: Server;
  let api: YarnApi;
  /** The answers of one moment after the other: each list of all applications takes the next one, the last one stays. */
  let moments: Record<string, Played>[];
  let paths: string[];
  /** By the beginning of the path. */
  let instead: Record<string, [status: number, body: unknown]>;
  let elapsed: number;
  beforeEach(async () => {
    [moments, paths, instead, elapsed] = [[], [], {}, 0];
    server = createServer((request, response) => {
      const path = (request.url ?? '').replace('/ws/v1/cluster', '');
      paths.push(path);
      const other = Object.entries(instead).find(([start]) => path.startsWith(start))?.[1];
      const [status, body] = other ?? [200, answerTo(path)];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    api = new YarnApi({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  afterEach(async () => {
    api.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  function answerTo(path: string): object {
    if (path.startsWith('/info')) return { clusterInfo: info };
    if (path.startsWith('/nodes')) {
      return { nodes: { node: [{ id: 'n1:1', state: 'RUNNING', totalResource: amounts(4096, 4) }] } };
    }
    if (path.startsWith('/scheduler')) {
      const capacities = { queueCapacitiesByPartition: [part] };
      return { scheduler: { schedulerInfo: { type: 'capacityScheduler', queueName: 'root', capacities } } };
    }
    if (path.startsWith('/apps?')) {
      const app = Object.entries(moments[0] ?? {}).map(([id, played]) => appOf(id, played));
      if (moments.length > 1) moments.shift();
      return { apps: app.length > 0 ? { app } : {} };
    }
    const id = /^\/apps\/(application_\d+_\d+)\//.exec(path)?.[1] ?? '';
    const { containers } = moments[0]?.[id] ?? { containers: 0 };
    const container = Array.from({ length: containers }, (_, index) => ({
      containerId: `${id.replace('application', 'container')}_01_00000${index + 1}`,
      allocatedMB: '1024',
      allocatedVCores: '1',
      assignedNodeId: 'n1:1',
      startedTime: '1000',
    }));
    return containers === 0 ? {} : { container: containers === 1 ? container[0] : container };
  }
  function appOf(
    id: string,
    { containers, shown = containers, pending = 0, state = 'RUNNING' }: Played,
  ): object {
    return {
      ...{ id, user: 'alice', queue: 'root.prod', state, priority: 0, startedTime: 1000 },
      amContainerLogs: `http://n1/logs/${id.replace('application', 'container')}_01_000001/alice`,
      ...{ allocatedMB: shown * 1024, allocatedVCores: shown, runningContainers: shown },
      ...(pending > 0 && {
        resourceRequests: [{ resourceName: '*', numContainers: pending, capability: amounts(1024, 1) }],
      }),
    };
  }
  const look = (before?: Look) => takeLook(api, before, { elapsed: () => elapsed, listAgainMs: 30_000 });
  const [a, b] = ['application_1_0001', 'application_1_0002'] as const;
  const countOf = (found: Look, id: string = a) => found.apps.get(id)?.containers.length;
  const listed = (id: string) => paths.filter((path) => path.startsWith(`/apps/${id}/`)).length;

  it('has all containers of all applications', async () => {
    moments = [{ [a]: { containers: 3 }, [b]: { containers: 1 } }];
    const found = await look();
    expect([countOf(found), countOf(found, b), found.isSizeSettled]).toEqual([3, 1, true]);
    expect([...found.apps.values()].every(({ isSettled }) => isSettled)).toBe(true);
  });

  it('does not ask again for applications whose totals stay, until a container may have replaced another', async () => {
    moments = [{ [a]: { containers: 3 } }];
    const first = await look();
    elapsed = 29_000;
    const second = await look(first);
    expect(listed(a)).toBe(1);
    expect(countOf(second)).toBe(3);
    elapsed = 31_000;
    await look(second);
    expect(listed(a)).toBe(2);
  });

  it('reads an application again that has changed while it was read', async () => {
    moments = [{ [a]: { containers: 3 } }, { [a]: { containers: 4 } }];
    const found = await look();
    expect(countOf(found)).toBe(4);
    expect(found.apps.get(a)?.isSettled).toBe(true);
  });

  it('marks one whose list never fits its totals', async () => {
    moments = [{ [a]: { containers: 3, shown: 5, pending: 9 } }];
    const found = await look();
    expect(found.apps.get(a)?.isSettled).toBe(false);
    expect(settledPending(found.apps.get(a)!)).toEqual([]);
  });

  it('keeps the containers of an application whose attempt YARN does not know at the moment', async () => {
    moments = [{ [a]: { containers: 3 } }];
    const first = await look();
    moments = [{ [a]: { containers: 3, shown: -1, state: 'ACCEPTED' } }];
    instead[`/apps/${a}/`] = [404, { RemoteException: { exception: 'ApplicationAttemptNotFoundException' } }];
    expect(countOf(await look(first))).toBe(3);
  });

  it('drops one that ended meanwhile', async () => {
    moments = [{ [a]: { containers: 3 }, [b]: { containers: 1 } }, { [b]: { containers: 1 } }];
    expect([...(await look()).apps.keys()]).toEqual([b]);
  });

  it('knows nothing if a list is refused', async () => {
    moments = [{ [a]: { containers: 3 } }];
    instead[`/apps/${a}/`] = [503, { RemoteException: { message: 'User bob does not have privilege' } }];
    await expect(look()).rejects.toThrow('User bob does not have privilege');
  });

  it('is not made while no manager is active', async () => {
    instead['/info'] = [200, { clusterInfo: { ...info, haState: 'STANDBY' } }];
    await expect(look()).rejects.toMatchObject({ code: 'not-active' });
  });

  it('sees that nodes do not add up to what the queues are calculated from', async () => {
    instead['/nodes'] = [200, { nodes: {} }];
    expect((await look()).isSizeSettled).toBe(false);
  });

  it('counts what an application waits for only as far as two looks in a row show it', async () => {
    moments = [{ [a]: { containers: 1, pending: 123 } }];
    const first = await look();
    moments = [{ [a]: { containers: 1, pending: 50 } }];
    const second = await look(first);
    const of = (found: Look) => found.apps.get(a)!;
    expect(settledPending(of(first))).toEqual([]);
    expect(settledPending(of(second))).toMatchObject([{ count: 50 }]);
    moments = [{ [a]: { containers: 1, pending: 80 } }];
    expect(settledPending(of(await look(second)))).toMatchObject([{ count: 50 }]);
  });
});
