import { describe, expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { planGiven } from '#planning';
import { leafOf } from '../../../test/cluster.js';

const property = (name: string) => `queues[1].properties."quota.preemption.${name}"`;

/** The path of the error of a plan of `root.q`, with these parts of its snapshot and these settings; null if there is a plan. */
function refused(parts: Record<string, unknown>, settings: unknown = {}): string | null {
  const snapshot = leafOf({ memory: 10 }, [{ id: 'a' }, { id: 'b' }]);
  const { allocation, application, queue, ...whole } = parts;
  Object.assign(snapshot.allocations[1]!, allocation);
  Object.assign(snapshot.applications[0]!, application);
  Object.assign(snapshot.queues[1]!, queue);
  try {
    planGiven({
      snapshot: { ...snapshot, ...whole },
      trigger: { policy: 'quota-decrease', queue: 'root.q' },
      settings,
    });
    return null;
  } catch (error) {
    if (error instanceof InputError) return error.path;
    throw error;
  }
}

const web = { id: 'web', allowed: 1 };
const victim = { user: 'ann', application: 'x', queue: 'root.gone', at: '2026-11-21T10:00:00Z' };
const properties = (name: string, value: unknown) => ({
  queue: { properties: { [`quota.preemption.${name}`]: value } },
});

describe('bad input of victim care', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ budgets: {} }, 'budgets'],
    [{ budgets: [web, 7] }, 'budgets[1]'],
    [{ budgets: [{ allowed: 1 }] }, 'budgets[0].id'],
    [{ budgets: [{ ...web, id: '' }] }, 'budgets[0].id'],
    [{ budgets: [web, { ...web }] }, 'budgets[1].id'],
    [{ budgets: [{ id: 'web' }] }, 'budgets[0].allowed'],
    [{ budgets: [{ id: 'web', allowed: null }] }, 'budgets[0].allowed'],
    [{ budgets: [{ id: 'web', allowed: -1 }] }, 'budgets[0].allowed'],
    [{ budgets: [{ id: 'web', allowed: 0.5 }] }, 'budgets[0].allowed'],
    [{ allocation: { budgets: 'web' } }, 'allocations[1].budgets'],
    [{ allocation: { budgets: ['web'] } }, 'allocations[1].budgets[0]'],
    [{ budgets: [web], allocation: { budgets: ['web', 'db'] } }, 'allocations[1].budgets[1]'],
    [{ budgets: [web], allocation: { budgets: ['web', 'web'] } }, 'allocations[1].budgets[1]'],
    [{ budgets: [web], allocation: { budgets: [null] } }, 'allocations[1].budgets[0]'],
    [{ allocation: { checkpointedAt: 'yesterday' } }, 'allocations[1].checkpointedAt'],
    [{ allocation: { checkpointedAt: 5 } }, 'allocations[1].checkpointedAt'],
    [{ application: { gang: 3 } }, 'applications[0].gang'],
    [{ application: { gang: [] } }, 'applications[0].gang'],
    [{ application: { gang: {} } }, 'applications[0].gang.minMembers'],
    [{ application: { gang: { minMembers: 0 } } }, 'applications[0].gang.minMembers'],
    [{ application: { gang: { minMembers: 1.5 } } }, 'applications[0].gang.minMembers'],
    [{ application: { gang: { minMembers: '2' } } }, 'applications[0].gang.minMembers'],
    [{ recentVictims: {} }, 'recentVictims'],
    [{ recentVictims: [victim, null] }, 'recentVictims[1]'],
    [{ recentVictims: [{ ...victim, application: '' }] }, 'recentVictims[0].application'],
    [{ recentVictims: [{ ...victim, application: undefined }] }, 'recentVictims[0].application'],
    [{ recentVictims: [{ ...victim, queue: '' }] }, 'recentVictims[0].queue'],
    [{ recentVictims: [{ ...victim, user: 7 }] }, 'recentVictims[0].user'],
    [{ recentVictims: [{ ...victim, at: undefined }] }, 'recentVictims[0].at'],
    [{ recentVictims: [{ ...victim, at: '2026-11-21' }] }, 'recentVictims[0].at'],
    [properties('min.run', 'soon'), property('min.run')],
    [properties('min.run', -1), property('min.run')],
    [properties('min.run', 1.5), property('min.run')],
    [properties('min.run', true), property('min.run')],
    [properties('min.run', { s: 1 }), property('min.run')],
    [properties('share', 101), property('share')],
    [properties('share', 40.5), property('share')],
    [properties('share', '40 %'), property('share')],
    [properties('share', [40]), property('share')],
    [properties('limit', 10), property('limit')],
    [properties('limit', '10G'), property('limit')],
    [properties('limit', ['10G']), property('limit')],
    [properties('limit', 'memory: 10G\n---\nvcore: 1'), property('limit')],
    [properties('limit', { memory: '10X' }), `${property('limit')}.memory`],
    [properties('limit', { memory: null }), `${property('limit')}.memory`],
    [properties('limit', { 'nvidia.com/gpu': 0.5 }), `${property('limit')}."nvidia.com/gpu"`],
    [properties('limit', '{"memory": "1.5G"}'), `${property('limit')}.memory`],
    [{ takenAt: undefined, ...properties('min.run', '1ms') }, 'takenAt'],
  ])('%j: %s', (parts, path) => {
    expect(refused(parts)).toBe(path);
  });

  it.each<[Record<string, unknown>, unknown]>([
    [{ takenAt: undefined }, { minRunSeconds: 1 }],
    [{ takenAt: undefined }, { ownerBudgets: [{ per: 'user', victims: 1, seconds: 0 }] }],
  ])('%j with %j: takenAt', (parts, settings) => {
    expect(refused(parts, settings)).toBe('takenAt');
  });

  it.each([
    [{ budgets: 7 }, 'allocations[0].budgets'],
    [{ checkpointedAt: 7 }, 'allocations[0].checkpointedAt'],
  ])('%j: the first in the input is reported, however young the others are', (wrong, path) => {
    const younger = { id: 'b', startedAt: '2026-11-21T10:00:00.000Z' };
    const snapshot = leafOf({ memory: 10 }, [{ id: 'a' }, younger]);
    for (const allocation of snapshot.allocations) Object.assign(allocation, wrong);
    const planned = () => planGiven({ snapshot, trigger: { policy: 'quota-decrease', queue: 'root.q' } });
    expect(planned).toThrow(expect.objectContaining({ path }));
  });

  it('is none where the input is right, null or absent', () => {
    const nulls = { budgets: null, recentVictims: null, application: { gang: null } };
    expect(refused({ ...nulls, allocation: { budgets: null, checkpointedAt: null } })).toBeNull();
    for (const name of ['min.run', 'share', 'limit']) expect(refused(properties(name, null))).toBeNull();
    expect(refused({ takenAt: undefined, ...properties('min.run', 0) })).toBeNull();
    expect(refused({ recentVictims: [victim, { ...victim, user: null }] })).toBeNull();
    expect(refused(properties('limit', { memory: 2 ** 63, vcore: '500m' }))).toBeNull();
  });

  it('is checked by this policy alone', () => {
    const snapshot = leafOf({ memory: 10 }, []);
    const planned = (policy: string) => () =>
      planGiven({
        snapshot: { ...snapshot, applications: [], budgets: 7 },
        trigger: { policy, queue: 'root.q' },
      });
    expect(planned('intra-queue')).not.toThrow();
    expect(planned('quota-decrease')).toThrow(InputError);
  });

  it('of shares that add up to more than 100 is found in the order of the input, dynamic queues apart', () => {
    const child = (path: string, share: number, dynamic = false) => ({
      path: `root.${path}`,
      dynamic,
      properties: { 'quota.preemption.share': share },
    });
    const snapshot = leafOf({}, []);
    const planned = (...queues: ReturnType<typeof child>[]) => {
      try {
        planGiven({
          snapshot: { ...snapshot, queues: [{ path: 'root' }, ...queues] },
          trigger: { policy: 'quota-decrease', queue: 'root' },
        });
        return null;
      } catch (error) {
        return (error as InputError).path;
      }
    };
    expect(planned(child('b', 60), child('a', 40), child('c', 99, true))).toBeNull();
    expect(planned(child('b', 60), child('a', 41))).toBe('queues[2].properties."quota.preemption.share"');
    expect(planned(child('b', 60), child('a', 41, true), child('c', 101, true))).toBe(
      'queues[3].properties."quota.preemption.share"',
    );
  });
});
