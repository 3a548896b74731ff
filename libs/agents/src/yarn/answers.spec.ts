import { describe, expect, it } from '@jest/globals';
import {
  appOf,
  isMaster,
  readApps,
  readContainers,
  readInfo,
  readLastAttempt,
  readNodes,
  readScheduler,
  YarnInvisible,
} from './answers.js';

const gibibyte = 1024 ** 3;
const running = {
  id: 'application_1795267306177_0001',
  user: 'alice',
  queue: 'root.prod',
  state: 'RUNNING',
  priority: 3,
  startedTime: 1795267307709,
  amContainerLogs: 'http://n1:18104/node/containerlogs/container_e17_1795267306177_0001_02_000001/alice',
  allocatedMB: 39168,
  allocatedVCores: 20,
  runningContainers: 16,
};
const container = {
  containerId: 'container_1795267306177_0001_01_000003',
  allocatedMB: '2048',
  allocatedVCores: '1',
  assignedNodeId: 'n1:18098',
  startedTime: '1795267309252',
  containerState: 'RUNNING',
  allocatedResources: {
    entry: [
      { key: 'memory-mb', value: '2048' },
      { key: 'yarn.io/gpu', value: '2' },
    ],
  },
};
const requested = (resourceName: string, memory: number, numContainers: number) => ({
  resourceName,
  numContainers,
  capability: { memory, vCores: 1 },
});

describe('applications', () => {
  it('are read with their attempt, which stands only in the address of a log', () => {
    expect(readApps({ apps: { app: [running] } })).toEqual([
      expect.objectContaining({
        id: running.id,
        attempt: 'appattempt_1795267306177_0001_000002',
        containers: 16,
        allocated: { memory: 39168 * 1024 ** 2, vcore: 20_000 },
        pending: [],
      }),
    ]);
  });

  it.each([[{ apps: {} }], [{ apps: null }]])('are none in %j', (answer) => {
    expect(readApps(answer)).toEqual([]);
  });

  it('are not none in an answer of something else', () => {
    expect(() => readApps({ cluster: {} })).toThrow('a list of applications is expected here');
  });

  it('may be a single one without a list', () => {
    expect(readApps({ apps: { app: running } })).toHaveLength(1);
  });

  it('that show only zeros are not seen, and no application of an empty cluster', () => {
    const zeros = { ...running, startedTime: 0, allocatedMB: 0, allocatedVCores: 0, runningContainers: 0 };
    expect(() => readApps({ apps: { app: [running, zeros] } })).toThrow(YarnInvisible);
    expect(() => readApps({ apps: { app: [running, zeros] } })).toThrow('yarn.admin.acl');
  });

  it('without an attempt do not have no containers: the number is not known', () => {
    const accepted = {
      ...running,
      state: 'ACCEPTED',
      runningContainers: -1,
      allocatedMB: -1,
      allocatedVCores: -1,
    };
    const [app] = readApps({ apps: { app: [accepted] } });
    expect(app).toMatchObject({ containers: undefined, allocated: { memory: 0, vcore: 0 } });
  });

  it('wait for what they asked for anywhere; requests for a node or a rack are parts of that', () => {
    const resourceRequests = [
      requested('*', 1024, 5),
      requested('n1', 1024, 3),
      requested('/default-rack', 1024, 3),
      requested('*', 2048, 0),
      requested('*', 1024, 2),
    ];
    const [app] = readApps({ apps: { app: [{ ...running, resourceRequests }] } });
    expect(app?.pending).toEqual([{ resources: { memory: gibibyte, vcore: 1000 }, count: 7 }]);
  });

  it('may have a key twice in the text of the answer', () => {
    const text = JSON.stringify({ apps: { app: [running] } }).replace(
      '"user"',
      '"resourceSecondsMap":{"entry":{"key":"memory-mb","value":"1"},"entry":{"key":"vcores","value":"2"}},"user"',
    );
    expect(readApps(JSON.parse(text))).toHaveLength(1);
  });
});

describe('containers', () => {
  it('have their numbers as text, and further types beside memory and vcores', () => {
    expect(readContainers({ container: [container] })).toEqual([
      {
        id: container.containerId,
        node: 'n1:18098',
        resources: { memory: 2 * gibibyte, vcore: 1000, 'yarn.io/gpu': 2 },
        startedAt: 1795267309252,
      },
    ]);
  });

  it('are one without a list, and none in {}', () => {
    expect(readContainers({ container })).toHaveLength(1);
    expect(readContainers({})).toEqual([]);
  });

  it('that have ended hold nothing', () => {
    expect(readContainers({ container: [{ ...container, containerState: 'COMPLETE' }] })).toEqual([]);
  });

  it('name the field that is wrong', () => {
    expect(() => readContainers({ container: [container, { ...container, allocatedMB: 'much' }] })).toThrow(
      expect.objectContaining({ path: 'container[1].allocatedMB' }),
    );
  });

  it('belong to the attempt of their id', () => {
    expect(appOf('container_e17_1795267306177_0001_02_000005')).toEqual({
      app: 'application_1795267306177_0001',
      attempt: 'appattempt_1795267306177_0001_000002',
    });
    expect(appOf('team-a/pod-1')).toBeUndefined();
  });

  it.each([
    ['container_1795267306177_0001_01_000001', true],
    ['container_e17_1795267306177_0001_02_000001', true],
    ['container_1795267306177_0001_01_000011', false],
    ['container_1795267306177_0001_01_100001', false],
  ])('%s is that of a master: %s', (id, is) => {
    expect(isMaster(id)).toBe(is);
  });
});

describe('nodes', () => {
  const node = {
    id: 'n1:18102',
    state: 'RUNNING',
    totalResource: { memory: 65536, vCores: 64 },
    nodeLabels: ['gpu'],
  };
  it('count while they are part of the cluster', () => {
    const nodes = [
      node,
      { ...node, state: 'LOST' },
      { ...node, state: 'UNHEALTHY' },
      { ...node, state: 'DECOMMISSIONING' },
    ];
    expect(readNodes({ nodes: { node: nodes } })).toHaveLength(2);
  });

  it('of older managers have no total', () => {
    const { totalResource: _, ...old } = node;
    const parts = {
      usedMemoryMB: 64000,
      availMemoryMB: 1536,
      usedVirtualCores: 33,
      availableVirtualCores: 31,
    };
    expect(readNodes({ nodes: { node: [{ ...old, ...parts }] } })).toEqual([
      { id: 'n1:18102', capacity: { memory: 64 * gibibyte, vcore: 64_000 }, labels: ['gpu'] },
    ]);
  });
});

describe('the scheduler', () => {
  const amounts = (memory: number) => ({ memory, vCores: 10 });
  const queue = (queueName: string, more: object = {}) => ({
    queueName,
    creationMethod: 'static',
    capacities: {
      queueCapacitiesByPartition: [
        { partitionName: '', effectiveMinResource: amounts(512), effectiveMaxResource: amounts(1024) },
      ],
    },
    ...more,
  });
  it('shows its queues with the amounts in force', () => {
    const inside = queue('etl', { creationMethod: 'dynamicFlexible' });
    const info = {
      type: 'capacityScheduler',
      queueName: 'root',
      queues: { queue: [queue('Prod', { queues: { queue: inside } })] },
    };
    const { queues } = readScheduler({ scheduler: { schedulerInfo: info } });
    expect(queues).toEqual([
      expect.objectContaining({ path: 'root', isLeaf: false }),
      expect.objectContaining({ path: 'root.Prod', isLeaf: false, isAutoCreated: false }),
      expect.objectContaining({
        path: 'root.Prod.etl',
        isLeaf: true,
        isAutoCreated: true,
        guaranteed: { memory: 512 * 1024 ** 2, vcore: 10_000 },
        max: { memory: gibibyte, vcore: 10_000 },
      }),
    ]);
  });

  it('of another kind is refused', () => {
    expect(() => readScheduler({ scheduler: { schedulerInfo: { type: 'fairScheduler' } } })).toThrow(
      'Curtail enforces the quotas of the Capacity Scheduler',
    );
  });
});

it('a manager that starts is not active yet', () => {
  const info = { startedOn: 1, state: 'STARTED', haState: 'INITIALIZING', resourceManagerVersion: '3.4.2' };
  expect(readInfo({ clusterInfo: info })).toEqual({ startedOn: 1, isActive: false, version: '3.4.2' });
});

it('the last attempt is the one with the highest number', () => {
  const attempts = ['appattempt_1_0001_000001', 'appattempt_1_0001_000002'].map((appAttemptId) => ({
    appAttemptId,
  }));
  expect(readLastAttempt({ appAttempts: { appAttempt: attempts } })).toBe('appattempt_1_0001_000002');
  expect(readLastAttempt({ appAttempts: {} })).toBeUndefined();
});
