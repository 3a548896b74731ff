import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { planGiven, readSnapshot } from '#planning';
import { queueSnapshotOf } from './by-queue.js';

const MOST = Number.MAX_SAFE_INTEGER;

/** A good snapshot to spoil. */
function good() {
  return {
    apiVersion: 'curtail/v1' as unknown,
    kind: 'ClusterSnapshot' as unknown,
    takenAt: '2026-11-21T10:00:00.000Z' as unknown,
    partition: 'default' as unknown,
    nodes: [{ id: 'n1', capacity: { memory: 100 } }] as unknown,
    queues: [
      { path: 'root' },
      { path: 'root.a', max: { memory: 5 }, guaranteed: { memory: 2 } },
      { path: 'root.b' },
    ] as Record<string, unknown>[],
    applications: [
      {
        id: 'app1',
        queue: 'root.a',
        user: 'ann',
        priority: 1,
        pending: [{ resources: { memory: 1 }, count: 2 }],
      },
    ] as Record<string, unknown>[],
    allocations: [
      {
        id: 'x1',
        application: 'app1',
        queue: 'root.a',
        node: 'n1',
        uid: 'u1',
        resources: { memory: 1, vcore: 0 },
        startedAt: '2026-11-21T09:00:00Z',
      },
      {
        id: 'x2',
        application: 'app1',
        queue: 'root.b',
        resources: { memory: 1 },
        startedAt: '2026-11-21T09:00:00.5+02:00',
        role: 'originator',
        state: 'releasing',
        allowPreemption: false,
        priority: -3,
      },
    ] as Record<string, unknown>[],
  };
}
type Good = ReturnType<typeof good>;

/** Path and message of the error that a spoilt snapshot gives to a policy that plans for queues. */
function errorOf(spoil: (snapshot: Good) => void): { path: string; message: string } {
  const snapshot = good();
  spoil(snapshot);
  try {
    queueSnapshotOf(readSnapshot(snapshot));
  } catch (error) {
    if (error instanceof InputError) return { path: error.path, message: error.message };
    throw error;
  }
  return { path: 'no error', message: '' };
}

describe('a good snapshot', () => {
  it('becomes columns, queues depth first', () => {
    const snapshot = queueSnapshotOf(readSnapshot(good()));
    expect(snapshot.types).toEqual(['memory']);
    expect(snapshot.queues.paths).toEqual(['root', 'root.a', 'root.b']);
    expect([...snapshot.queues.usage]).toEqual([2, 1, 1]);
    expect([...snapshot.queues.inFlight]).toEqual([1, 0, 1]);
    expect([...snapshot.queues.max]).toEqual([-1, 5, -1]);
    expect([...snapshot.queues.guaranteed]).toEqual([-1, 2, -1]);
    expect([...snapshot.allocations.priority]).toEqual([1, -3]);
    expect(snapshot.allocations.startedAt[1]).toBe(Date.parse('2026-11-21T07:00:00.500Z'));
    // A zero is not use, and both use the same.
    const { size, sizeCount, firstEntry } = snapshot.allocations;
    expect([[...size], sizeCount, ...firstEntry.subarray(0, 2)]).toEqual([[0, 0], 1, 0, 1]);
    expect([...snapshot.typeInUse]).toEqual([1]);
  });
  it('may have unknown fields anywhere, and may lack what has a default; null counts as absent', () => {
    const snapshot = { ...good(), surprise: 1, nodes: undefined };
    snapshot.queues[1] = {
      ...snapshot.queues[1],
      surprise: {},
      properties: { 'preemption.policy': 'fence' },
      dynamic: null,
    };
    Object.assign(snapshot.allocations[0]!, {
      surprise: [],
      node: null,
      uid: null,
      priority: null,
      role: null,
      state: null,
    });
    expect(() => readSnapshot(snapshot)).not.toThrow();
    const { queues, applications, allocations } = good();
    expect(() => readSnapshot({ queues, applications, allocations })).not.toThrow();
  });
  it('is neither changed nor kept', () => {
    const input = good();
    const text = JSON.stringify(input);
    const snapshot = readSnapshot(input);
    expect(JSON.stringify(input)).toBe(text);
    input.allocations.length = 0;
    expect(snapshot.allocations.ids).toEqual(['x1', 'x2']);
  });
  it('gives each victim its own uid and node, in whatever order allocations stand', () => {
    const allocation = (id: string, queue: string, hour: number) => ({
      ...{ id, uid: `uid-${id}`, node: `node-${id}`, application: 'app1', queue, resources: { memory: 1 } },
      startedAt: `2026-11-21T0${hour}:00:00Z`,
    });
    const { victims } = planGiven({
      snapshot: {
        queues: [{ path: 'root', max: { memory: 0 } }, { path: 'root.a' }, { path: 'root.b' }],
        applications: [{ id: 'app1' }],
        allocations: [
          allocation('x', 'root.b', 1),
          allocation('y', 'root.a', 2),
          allocation('z', 'root.b', 3),
        ],
      },
      trigger: { policy: 'quota-decrease', queue: 'root' },
    });
    expect(victims.map(({ allocation, uid, node }) => [allocation, uid, node])).toEqual(
      ['y', 'z', 'x'].map((id) => [id, `uid-${id}`, `node-${id}`]),
    );
  });
  it('may use exactly 2^53 - 1', () => {
    const snapshot = good();
    snapshot.allocations[0]!.resources = { memory: MOST - 1 };
    expect(queueSnapshotOf(readSnapshot(snapshot)).queues.usage[0]).toBe(MOST);
  });
  it('may be deeper than any stack', () => {
    const queues = [{ path: 'q' }];
    for (let depth = 1; depth < 12_000; depth++) queues.push({ path: `${queues[depth - 1]!.path}.q` });
    const snapshot = readSnapshot({ queues: queues.reverse(), applications: [], allocations: [] });
    expect(snapshot.queues.end[0]).toBe(12_000);
  });
});

const spoilt: [string, string, (snapshot: Good) => void][] = [
  [
    'another kind',
    'kind',
    (s) => {
      s.kind = 'Plan';
    },
  ],
  [
    'another version',
    'apiVersion',
    (s) => {
      s.apiVersion = 'curtail/v2';
    },
  ],
  [
    'a time that is none',
    'takenAt',
    (s) => {
      s.takenAt = 'yesterday';
    },
  ],
  [
    'queues that are no array',
    'queues',
    (s) => {
      s.queues = {} as never;
    },
  ],
  [
    'no allocations',
    'allocations',
    (s) => {
      s.allocations = undefined as never;
    },
  ],
  [
    'no applications',
    'applications',
    (s) => {
      s.applications = null as never;
    },
  ],
  [
    'a queue that is no object',
    'queues[1]',
    (s) => {
      s.queues[1] = 'root.a' as never;
    },
  ],
  [
    'a queue without a path',
    'queues[2].path',
    (s) => {
      s.queues[2] = {};
    },
  ],
  [
    'a missing parent',
    'queues[3].path',
    (s) => {
      s.queues.push({ path: 'root.c.d' });
    },
  ],
  [
    'a path twice',
    'queues[3].path',
    (s) => {
      s.queues.push({ path: 'root.a' });
    },
  ],
  [
    'a fraction in max',
    'queues[1].max.memory',
    (s) => {
      s.queues[1]!.max = { memory: 1.5 };
    },
  ],
  [
    'a negative guaranteed',
    'queues[1].guaranteed["nvidia.com/gpu"]',
    (s) => {
      s.queues[1]!.guaranteed = { 'nvidia.com/gpu': -1 };
    },
  ],
  [
    'max as a text',
    'queues[1].max.memory',
    (s) => {
      s.queues[1]!.max = { memory: '50G' };
    },
  ],
  [
    'dynamic as a text',
    'queues[1].dynamic',
    (s) => {
      s.queues[1]!.dynamic = 'yes';
    },
  ],
  [
    'properties that are a text',
    'queues[1].properties',
    (s) => {
      s.queues[1]!.properties = '{"quota.preemption.limit": {"memory": 0}}';
    },
  ],
  [
    'enforcing as a number',
    'queues[1].enforcing',
    (s) => {
      s.queues[1]!.enforcing = 1;
    },
  ],
  [
    'a node twice',
    'nodes[1].id',
    (s) => {
      s.nodes = [{ id: 'n1' }, { id: 'n1' }];
    },
  ],
  [
    'a capacity too large',
    'nodes[0].capacity.memory',
    (s) => {
      s.nodes = [{ id: 'n1', capacity: { memory: MOST + 1 } }];
    },
  ],
  [
    'an application twice',
    'applications[1].id',
    (s) => {
      s.applications.push({ id: 'app1', queue: 'root.a' });
    },
  ],
  [
    'an application in an unknown queue',
    'applications[0].queue',
    (s) => {
      s.applications[0]!.queue = 'root.z';
    },
  ],
  [
    'a negative pending amount',
    'applications[0].pending[0].resources.memory',
    (s) => {
      s.applications[0]!.pending = [{ resources: { memory: -1 }, count: 1 }];
    },
  ],
  [
    'a fractional count',
    'applications[0].pending[0].count',
    (s) => {
      s.applications[0]!.pending = [{ resources: {}, count: 0.5 }];
    },
  ],
  [
    'a priority that is no number',
    'applications[0].priority',
    (s) => {
      s.applications[0]!.priority = 'high';
    },
  ],
  [
    'an allocation that is null',
    'allocations[1]',
    (s) => {
      s.allocations[1] = null as never;
    },
  ],
  [
    'an allocation without an id',
    'allocations[1].id',
    (s) => {
      delete s.allocations[1]!.id;
    },
  ],
  [
    'an allocation twice',
    'allocations[1].id',
    (s) => {
      s.allocations[1]!.id = 'x1';
    },
  ],
  [
    'an allocation twice, and a later fault',
    'allocations[1].id',
    (s) => {
      s.allocations[1]!.id = 'x1';
      s.allocations[1]!.role = 'driver';
    },
  ],
  [
    'a fault, and later an allocation twice',
    'allocations[0].role',
    (s) => {
      s.allocations[0]!.role = 'driver';
      s.allocations[1]!.id = 'x1';
    },
  ],
  [
    'several faults, in another order than that of the checks',
    'allocations[1].application',
    (s) => {
      s.allocations[1] = { resources: 5, role: 'driver', startedAt: '', application: 7, id: 'x2' };
    },
  ],
  [
    'no application after those of the last one',
    'allocations[1].application',
    (s) => {
      delete s.allocations[1]!.application;
    },
  ],
  [
    'an unknown application',
    'allocations[1].application',
    (s) => {
      s.allocations[1]!.application = 'app9';
    },
  ],
  [
    'an unknown queue',
    'allocations[1].queue',
    (s) => {
      s.allocations[1]!.queue = 'root.z';
    },
  ],
  [
    'a queue with children',
    'allocations[1].queue',
    (s) => {
      s.allocations[1]!.queue = 'root';
    },
  ],
  [
    'an unknown role',
    'allocations[1].role',
    (s) => {
      s.allocations[1]!.role = 'driver';
    },
  ],
  [
    'an unknown state',
    'allocations[1].state',
    (s) => {
      s.allocations[1]!.state = 'Running';
    },
  ],
  [
    'a role that only objects have',
    'allocations[1].role',
    (s) => {
      s.allocations[1]!.role = 'constructor';
    },
  ],
  [
    'allowPreemption as a text',
    'allocations[1].allowPreemption',
    (s) => {
      s.allocations[1]!.allowPreemption = 'false';
    },
  ],
  [
    'a node that is no text',
    'allocations[1].node',
    (s) => {
      s.allocations[1]!.node = 7;
    },
  ],
  [
    'a priority of NaN',
    'allocations[1].priority',
    (s) => {
      s.allocations[1]!.priority = Number.NaN;
    },
  ],
  [
    'no startedAt',
    'allocations[1].startedAt',
    (s) => {
      delete s.allocations[1]!.startedAt;
    },
  ],
  [
    'startedAt in another form',
    'allocations[1].startedAt',
    (s) => {
      s.allocations[1]!.startedAt = '2026-11-21 09:00:00';
    },
  ],
  [
    'startedAt as a number',
    'allocations[1].startedAt',
    (s) => {
      s.allocations[1]!.startedAt = 1_700_000_000;
    },
  ],
  [
    'no resources',
    'allocations[1].resources',
    (s) => {
      delete s.allocations[1]!.resources;
    },
  ],
  [
    'resources as an array',
    'allocations[1].resources',
    (s) => {
      s.allocations[1]!.resources = [];
    },
  ],
  [
    'a negative amount',
    'allocations[1].resources.memory',
    (s) => {
      s.allocations[1]!.resources = { memory: -5 };
    },
  ],
  [
    'a fraction',
    'allocations[1].resources.memory',
    (s) => {
      s.allocations[1]!.resources = { memory: 0.5 };
    },
  ],
  [
    'an amount above 2^53 - 1',
    'allocations[1].resources.memory',
    (s) => {
      s.allocations[1]!.resources = { memory: MOST + 1 };
    },
  ],
  [
    'an amount of null',
    'allocations[1].resources.memory',
    (s) => {
      s.allocations[1]!.resources = { memory: null };
    },
  ],
  [
    'a usage above 2^53 - 1 in a parent',
    'allocations[1].resources.memory',
    (s) => {
      s.allocations[0]!.resources = { memory: MOST };
    },
  ],
  [
    'a usage above 2^53 - 1 in a leaf',
    'allocations[1].resources.memory',
    (s) => {
      s.allocations[0]!.resources = { memory: MOST };
      s.allocations[1]!.queue = 'root.a';
    },
  ],
];

describe('a snapshot that cannot be used names the field', () => {
  it.each(spoilt)('%s: %s', (_, path, spoil) => {
    const error = errorOf(spoil);
    expect(error.path).toBe(path);
    expect(error.message.length).toBeGreaterThan(10);
  });
  it('and states what would be right', () => {
    expect(
      errorOf((s) => {
        s.allocations[0]!.role = 'driver';
      }).message,
    ).toBe('must be one of task, originator, daemon, placeholder, found "driver"');
    expect(
      errorOf((s) => {
        s.queues.push({ path: 'root.c.d' });
      }).message,
    ).toContain('"root.c" of "root.c.d" is missing');
    expect(
      errorOf((s) => {
        s.allocations[1]!.resources = { memory: 0.5 };
      }).message,
    ).toContain('whole number');
  });
  it('so does an input that is no object', () => {
    for (const snapshot of [undefined, null, [], 'text', 5]) {
      expect(() => planGiven({ snapshot, trigger: {}, settings: {} })).toThrow(InputError);
    }
    expect(() => planGiven(null)).toThrow(InputError);
  });

  it('but an error that is none of the input stays as it is', () => {
    const bug = new RangeError('of the program');
    expect(() =>
      errorOf((s) => {
        s.allocations[1]!.id = 'x1';
        Object.defineProperty(s.allocations[1]!, 'application', {
          get: () => {
            throw bug;
          },
        });
      }),
    ).toThrow(bug);
  });
});
