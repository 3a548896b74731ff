import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type ClusterAgentUnderTest,
  clusterAgentContract,
} from '../../../../test/contracts/cluster-agent.js';
import { PlayedManager } from '../../../../test/support/played-manager.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import { YarnApi } from './yarn-api.js';
import { YarnCluster } from './yarn-cluster.js';

/** Looks follow each other this closely. */
const everyMs = 50;

async function clusterOf(manager: PlayedManager, url = manager.url) {
  let mode: 'observe' | 'enforce' = 'enforce';
  const troubles: string[] = [];
  const api = new YarnApi({ url, user: 'curtail' });
  const properties = new Map<string, string>();
  const cluster = new YarnCluster({
    ...{ api, partition: 'default', everyMs, mode: () => mode },
    settings: async () => ({ properties, evictsMasters: false, killsApplications: false }),
    pastEvictions: async () => [],
    onTrouble: (what, error) => troubles.push(`${what}: ${error.message}`),
  });
  await cluster.start(() => {});
  return {
    ...{ cluster, troubles, properties, source: cluster.partition('default') },
    observe: () => {
      mode = 'observe';
    },
    close: async () => {
      await cluster.stop();
      api.close();
    },
  };
}

async function stageOfYarn(): Promise<ClusterAgentUnderTest> {
  const manager = await PlayedManager.start();
  manager.endsAtTerm = false;
  const way = await TcpProxy.to(manager.url);
  const { cluster, source, observe, close } = await clusterOf(manager, way.url);
  let begun = manager.containers.length;
  return {
    partition: 'default',
    ...{ reports: source, evictor: cluster.evictor, observe },
    begin: async () => {
      const id = `container_1_0001_01_${String(++begun).padStart(6, '0')}`;
      manager.containers.push(id);
      return id;
    },
    end: async (allocation) => {
      manager.containers = manager.containers.filter((one) => one !== allocation);
    },
    // Ids are never used again.
    replace: async () => 'container_1_0001_01_999999',
    evictions: async () => manager.signals.map((signal) => signal.split(' ')[0] ?? ''),
    cut: () => way.cut(),
    restore: () => way.pass(),
    close: async () => {
      await close();
      await way.cut();
      await manager.stop();
    },
  };
}

clusterAgentContract('YARN, with a manager that is played', stageOfYarn, { losesAnswers: false });

describe('the agent of YARN', () => {
  let manager: PlayedManager;
  let agent: Awaited<ReturnType<typeof clusterOf>>;
  beforeEach(async () => {
    manager = await PlayedManager.start();
  });
  afterEach(async () => {
    await agent?.close();
    await manager.stop();
  });

  describe('what it knows', () => {
    it('of signals outlives a list that is short: the container is not signalled anew', async () => {
      manager.endsAtTerm = false;
      agent = await clusterOf(manager);
      const { source, cluster } = agent;
      const [, victim = ''] = manager.containers;
      const request = {
        partition: 'default',
        queue: 'root.prod',
        application: manager.app,
        allocation: victim,
        uid: victim,
        evictionId: 'e',
        attempt: 1,
        graceSeconds: 3600,
        deadlineAt: '2100-01-01T00:00:00.000Z',
        reason: '',
      };
      expect(await cluster.evictor.evict(request)).toEqual({ answer: 'accepted' });
      manager.containers.push('container_1_0001_01_000009');
      manager.unlisted = new Set([victim]);
      expect(await source.isCurrent()).toBe(true);
      manager.unlisted.clear();
      expect(await source.isCurrent()).toBe(true);
      expect(await cluster.evictor.evict({ ...request, attempt: 2 })).toEqual({
        answer: 'accepted',
        repeated: true,
      });
      expect(manager.signals).toEqual([`${victim} GRACEFUL_SHUTDOWN`]);
    });
  });

  describe('the containers that it reports', () => {
    const reported = () => agent.source.listing().allocations.map(({ id }) => id);

    it('stay while one list is shorter than its total, and go when the next one lacks them too', async () => {
      agent = await clusterOf(manager);
      const all = reported();
      const victim = all.at(-1) ?? '';
      // None is under way after one.
      await agent.source.isCurrent();
      manager.containers.push('container_1_0001_01_000009');
      manager.unlisted = new Set([victim]);
      await agent.source.isCurrent();
      expect(reported()).toEqual(expect.arrayContaining(all));
      await agent.source.isCurrent();
      expect(reported()).not.toContain(victim);
    });

    it('stay while a manager takes the place of another in the middle of a look', async () => {
      agent = await clusterOf(manager);
      const all = reported();
      // None is under way after one.
      await agent.source.isCurrent();
      // Its first answer is of the manager before, its lists are of the one after, in the middle of the recovery.
      manager.instead.set('/info', (request, response) => {
        manager.instead.delete('/info');
        manager.startedOn = 1;
        manager.asUsual(request, response);
        manager.startedOn = 2;
      });
      manager.instead.set('/apps', (request, response) => {
        manager.containers = all.slice(0, 2);
        manager.asUsual(request, response);
      });
      expect(await agent.source.isCurrent()).toBe(false);
      expect(reported()).toEqual(all);
    });
  });

  describe('the configuration that it reads', () => {
    const capacity = 'yarn.scheduler.capacity.root.prod.capacity';
    const answers = (path: string, status: number, message: string) =>
      manager.instead.set(path, (_request, response) =>
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(JSON.stringify({ RemoteException: { exception: 'BadRequestException', message } })),
      );
    const configured = () =>
      agent.source.configuration()?.configuration as Record<string, string> | undefined;

    it('is that of a store that can be changed', async () => {
      agent = await clusterOf(manager);
      expect(configured()).toMatchObject({ [capacity]: '100' });
      expect(agent.troubles).toEqual([]);
    });

    it('comes from the settings where the manager reads its queues from a file, and a message says so where they lack', async () => {
      const refusal = 'Configuration change only supported by MutableConfScheduler.';
      for (const path of ['/scheduler-conf/version', '/scheduler-conf']) answers(path, 400, refusal);
      agent = await clusterOf(manager);
      expect(manager.asked).not.toContain('GET /scheduler-conf');
      expect(configured()).toBeUndefined();
      expect(agent.troubles.at(-1)).toContain(
        'the manager reads its queues from a file, and does not tell their properties. Give that file, with the settings of Curtail in it: --yarn-settings',
      );
      agent.properties.set('yarn.scheduler.capacity.root.queues', 'prod').set(capacity, '100');
      expect(await agent.source.isCurrent()).toBe(true);
      expect(configured()).toMatchObject({ [capacity]: '100' });
      const before = agent.troubles.length;
      expect(await agent.source.isCurrent()).toBe(true);
      expect(agent.troubles).toHaveLength(before);
    });

    it('stays as it was while the version is refused for another reason, and the refusal is named', async () => {
      agent = await clusterOf(manager);
      answers('/scheduler-conf/version', 403, 'User curtail does not have admin privilege');
      expect(await agent.source.isCurrent()).toBe(false);
      expect(configured()).toMatchObject({ [capacity]: '100' });
      expect(agent.troubles.at(-1)).toMatch(
        /answers 403 to the user curtail.*Name this user in yarn.admin.acl/,
      );
    });
  });
});
