import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestToAgent } from '../port.js';
import { ContainerEvictor } from './evictor.js';
import { YarnApi } from './yarn-api.js';

const app = 'application_1_0001';
const [master, task, other] = [1, 2, 3].map((nr) => `container_1_0001_01_00000${nr}`) as [
  string,
  string,
  string,
];

describe('the evictor of containers', () => {
  let server: Server;
  let api: YarnApi;
  let evictor: ContainerEvictor;
  /** The containers that the manager lists; undefined: it does not know the attempt. */
  let listed: string[] | undefined;
  let state: string;
  let signalStatus: number;
  /** The signals that the manager has received: container and kind. */
  let signals: string[];
  let mode: 'observe' | 'enforce';
  let evictsMasters: boolean;
  let killsApplications: boolean;
  let queue: string | undefined;
  let elapsed: number;
  /** Called when the manager is asked for a list. */
  let onList: () => void;
  let guard: (method: string) => void;
  let isRecovered: boolean;
  /** How the connection of the next signal ends in place of an answer; undefined: it is answered. */
  let losesNext: 'before' | 'after' | undefined;

  beforeEach(async () => {
    [listed, state, signalStatus, signals] = [[master, task, other], 'RUNNING', 200, []];
    [mode, evictsMasters, queue, elapsed, onList] = ['enforce', false, 'root.prod', 0, () => {}];
    [killsApplications, guard, isRecovered, losesNext] = [false, () => {}, true, undefined];
    server = createServer((request, response) => {
      const path = (request.url ?? '').replace('/ws/v1/cluster', '').replace(/\?.*/, '');
      const loses = path.includes('/signal/') ? losesNext : undefined;
      if (loses !== undefined) losesNext = undefined;
      if (loses === 'before') return request.destroy();
      const [status, body] = answerTo(path);
      if (loses === 'after') return request.destroy();
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    api = new YarnApi({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      guard: (method) => guard(method),
    });
    evictor = new ContainerEvictor(api, {
      mode: () => mode,
      evictsMasters: () => evictsMasters,
      killsApplications: () => killsApplications,
      queueOf: () => queue,
      attemptOf: () => undefined,
      isRecovered: async () => isRecovered,
      elapsed: () => elapsed,
      onTrouble: (_what, error) => {
        throw error;
      },
    });
  });
  afterEach(async () => {
    api.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  function answerTo(path: string): [number, object] {
    const [, container, signal] = /^\/containers\/(\w+)\/signal\/(\w+)$/.exec(path) ?? [];
    if (container !== undefined) {
      signals.push(`${container} ${signal}`);
      return [signalStatus, signalStatus === 200 ? {} : { RemoteException: { message: 'it failed' } }];
    }
    if (path === `/apps/${app}/state`) {
      signals.push('killed');
      return [202, {}];
    }
    if (path === `/apps/${app}`) return [200, { app: { id: app, state } }];
    onList();
    if (listed === undefined) return [404, { RemoteException: { message: 'no such attempt' } }];
    return [
      200,
      {
        container: listed.map((containerId) => ({
          ...{
            containerId,
            allocatedMB: '1024',
            allocatedVCores: '1',
            assignedNodeId: 'n1:1',
            startedTime: '1',
          },
        })),
      },
    ];
  }
  const request = (allocation: string, graceSeconds = 30, uid = allocation) =>
    ({ partition: 'default', allocation, uid, queue: 'root.prod', graceSeconds }) as RequestToAgent;
  const evict = (allocation = task, graceSeconds?: number) =>
    evictor.evict(request(allocation, graceSeconds));
  const until = async (holds: () => boolean) => {
    while (!holds()) await turn();
  };

  it('signals a container that a fresh list has: SIGTERM, or SIGKILL without a grace period', async () => {
    expect(await evict()).toEqual({ answer: 'accepted' });
    expect(await evict(other, 0)).toEqual({ answer: 'accepted' });
    expect(signals).toEqual([`${task} GRACEFUL_SHUTDOWN`, `${other} FORCEFUL_SHUTDOWN`]);
  });

  it('signals no container that has ended since the plan, and answers that it is gone', async () => {
    listed = [master, other];
    expect(await evict()).toEqual({ answer: 'gone' });
    [listed, elapsed, state] = [undefined, 1000, 'FINISHED'];
    expect(await evict(other)).toEqual({ answer: 'gone' });
    expect(signals).toEqual([]);
  });

  it('concludes nothing where a running application has no list', async () => {
    listed = undefined;
    await expect(evict()).rejects.toMatchObject({ code: 'no-answer' });
    expect(signals).toEqual([]);
  });

  it('concludes nothing from the short list of a manager that was started again', async () => {
    [listed, isRecovered] = [[master], false];
    await expect(evict()).rejects.toMatchObject({ code: 'recovering' });
    [listed, elapsed] = [[master, task], 1000];
    expect(await evict()).toEqual({ answer: 'accepted' });
    expect(signals).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
  });

  it('refuses an application master unless the settings allow it', async () => {
    expect(await evict(master)).toMatchObject({ answer: 'refused', retryable: false, code: 'protected' });
    evictsMasters = true;
    expect(await evict(master)).toEqual({ answer: 'accepted' });
    expect(signals).toEqual([`${master} GRACEFUL_SHUTDOWN`]);
  });

  it('kills an application of which all containers are victims, if the settings say so, and only then', async () => {
    [evictsMasters, killsApplications] = [true, true];
    expect(await evict(task)).toEqual({ answer: 'accepted' });
    // One of its containers stays: the master is signalled, as without the setting.
    expect(await evict(master)).toEqual({ answer: 'accepted' });
    expect(signals).toEqual([`${task} GRACEFUL_SHUTDOWN`, `${master} GRACEFUL_SHUTDOWN`]);
    evictor.signals.keepOnly((container) => container !== master);
    expect(await evict(other)).toEqual({ answer: 'accepted' });
    expect(await evict(master)).toEqual({ answer: 'accepted' });
    expect(signals.slice(2)).toEqual([`${other} GRACEFUL_SHUTDOWN`, 'killed']);
  });

  it('kills it, too, where the other signals are not answered yet', async () => {
    [evictsMasters, killsApplications] = [true, true];
    const outcomes = await Promise.all([task, other, master].map((container) => evict(container)));
    expect(outcomes).toEqual(Array.from({ length: 3 }, () => ({ answer: 'accepted' })));
    expect(signals).toEqual([`${task} GRACEFUL_SHUTDOWN`, `${other} GRACEFUL_SHUTDOWN`, 'killed']);
  });

  it('refuses what is no container of this kind, another incarnation, or in another queue by now', async () => {
    expect(await evict('pod-1')).toMatchObject({ answer: 'refused', code: 'no-container' });
    expect(await evictor.evict(request(task, 30, other))).toEqual({ answer: 'other-incarnation', uid: task });
    queue = 'root.dev';
    expect(await evict()).toMatchObject({ answer: 'refused', retryable: true, code: 'moved' });
    expect(signals).toEqual([]);
  });

  it('signals nothing in observe', async () => {
    await evict();
    mode = 'observe';
    expect(await evict(other)).toMatchObject({ answer: 'refused', code: 'observe' });
    elapsed = 3_600_000;
    await evictor.followUp(new Set([master, task, other]));
    expect(signals).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
  });

  it('signals once for a request that arrives twice', async () => {
    const answers = await Promise.all([evict(), evict()]);
    expect(answers).toContainEqual({ answer: 'accepted', repeated: true });
    expect(await evict()).toEqual({ answer: 'accepted', repeated: true });
    expect(signals).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
  });

  it('signals once for a request that arrives again before its answer', async () => {
    const first = evict();
    await until(() => signals.length === 1);
    expect(await Promise.all([first, evict()])).toEqual([
      { answer: 'accepted' },
      { answer: 'accepted', repeated: true },
    ]);
    expect(signals).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
  });

  describe('after a signal without an answer', () => {
    const seen = new Set([master, task, other]);

    it.each(['before', 'after'] as const)(
      'signals gracefully again, after 30 s, and kills when the notice after that is over: it was lost %s it arrived',
      async (when) => {
        losesNext = when;
        await expect(evict(task, 10)).rejects.toMatchObject({ code: 'no-answer' });
        const arrived = signals.length;
        // A signal for one that has just ended would hold its node.
        elapsed = 29_000;
        await evictor.followUp(seen);
        await expect(evict(task, 10)).rejects.toMatchObject({ code: 'no-answer' });
        expect(signals).toHaveLength(arrived);
        elapsed = 30_000;
        expect(await evict(task, 10)).toEqual({ answer: 'accepted' });
        expect(await evict(task, 10)).toEqual({ answer: 'accepted', repeated: true });
        elapsed = 39_000;
        await evictor.followUp(seen);
        expect(signals.slice(arrived)).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
        elapsed = 40_000;
        await evictor.followUp(seen);
        expect(signals.slice(arrived + 1)).toEqual([`${task} FORCEFUL_SHUTDOWN`]);
      },
    );

    it('signals nothing more by itself: Curtail may have given the eviction up', async () => {
      losesNext = 'before';
      await expect(evict(task, 10)).rejects.toMatchObject({ code: 'no-answer' });
      expect(evictor.signals.has(task)).toBe(false);
      elapsed = 3_600_000;
      await evictor.followUp(seen);
      expect(signals).toEqual([]);
    });

    it('answers that the container is gone when a fresh list lacks it', async () => {
      losesNext = 'after';
      await expect(evict(task)).rejects.toMatchObject({ code: 'no-answer' });
      [elapsed, listed] = [1000, [master, other]];
      expect(await evict(task)).toEqual({ answer: 'gone' });
    });
  });

  it('gives the whole notice to a container whose first signal was never sent', async () => {
    await evict(other);
    guard = (method) => {
      if (method === 'POST') throw new Error('this agent is no longer active');
    };
    await expect(evict(task, 10)).rejects.toThrow('no longer active');
    elapsed = 60_000;
    guard = () => {};
    await evictor.followUp(new Set([master, task]));
    expect(signals).toEqual([`${other} GRACEFUL_SHUTDOWN`]);
    expect(await evict(task, 10)).toEqual({ answer: 'accepted' });
    expect(signals.slice(1)).toEqual([`${task} GRACEFUL_SHUTDOWN`]);
  });

  it('signals nothing for a request that became invalid while the list was read', async () => {
    let isValid = true;
    onList = () => {
      isValid = false;
    };
    await expect(evictor.evict(request(task), () => isValid)).rejects.toMatchObject({
      code: 'request-expired',
    });
    expect(signals).toEqual([]);
  });

  it('tells a container that is gone from an error of YARN by the list', async () => {
    signalStatus = 500;
    expect(await evict()).toMatchObject({ answer: 'refused', retryable: true, code: 'failed' });
    elapsed = 1000;
    let lists = 0;
    // It ends between the list before the signal and the one after it.
    onList = () => {
      if (++lists === 2) listed = [master, other];
    };
    expect(await evict()).toEqual({ answer: 'gone' });
  });

  it('kills after the grace period, and only what a fresh list still has', async () => {
    await evict(task, 10);
    await evict(other, 10);
    const seen = new Set([master, task, other]);
    elapsed = 9_000;
    await evictor.followUp(seen);
    expect(signals).toHaveLength(2);
    [elapsed, listed] = [11_000, [master, task]];
    await evictor.followUp(seen);
    await evictor.followUp(seen);
    expect(signals.slice(2)).toEqual([`${task} FORCEFUL_SHUTDOWN`]);
  });

  it('continues what an agent before it has signalled: the whole notice, then SIGKILL, and no other signal', async () => {
    evictor.recall({ allocation: task, graceSeconds: 10 });
    evictor.recall({ allocation: master, graceSeconds: 10 });
    // The first list of a manager that was started again may be short.
    await evictor.followUp(new Set([other]));
    elapsed = 60_000;
    const seen = new Set([master, task, other]);
    await evictor.followUp(seen);
    expect(await evict(task)).toEqual({ answer: 'accepted', repeated: true });
    elapsed = 69_000;
    await evictor.followUp(seen);
    expect(signals).toEqual([]);
    elapsed = 70_000;
    await evictor.followUp(seen);
    await evictor.followUp(seen);
    expect(signals).toEqual([`${task} FORCEFUL_SHUTDOWN`]);
  });

  it('signals nothing that an agent before it has signalled and that has ended since', async () => {
    evictor.recall({ allocation: task, graceSeconds: 10 });
    await evictor.followUp(new Set([master, task]));
    [elapsed, listed] = [20_000, [master]];
    await evictor.followUp(new Set([master, task]));
    expect(signals).toEqual([]);
  });
});
