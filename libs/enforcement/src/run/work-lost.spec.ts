import { describe, expect, it } from '@jest/globals';
import { atMs, planned, Run } from '../../testing/run-scenario.js';
import { secondsLost } from './work-lost.js';

describe('the work lost with an allocation', () => {
  it.each([
    ['counts from its start', { startedAt: atMs(0) }, 90],
    ['counts from its last checkpoint', { startedAt: atMs(0), checkpointedAt: atMs(60_000) }, 30],
    ['counts from its start where that is later', { startedAt: atMs(80_000), checkpointedAt: atMs(0) }, 10],
    ['is none where it started by a clock ahead', { startedAt: atMs(120_000) }, 0],
  ])('%s', (_, allocation, expected) => {
    expect(secondsLost(allocation, atMs(90_900))).toBe(expected);
  });
});

describe('the end of a run', () => {
  /** Two victims of `app`, and one of `other`; v3 is gone before its eviction. */
  function driven(run: object): object {
    const { plan } = (planned([20, 30, 40]) as { data: { plan: { victims: object[] } } }).data;
    const victims = plan.victims.map((victim, i) => (i < 1 ? { ...victim, application: 'other' } : victim));
    const of = new Run(planned([20, 30, 40], { victims } as never, run));
    of.set('v3', null);
    of.now = 360_000;
    return of.drive().at(-1)!.data;
  }

  it('records the work lost by owner', () => {
    expect(driven({ owners: [{ user: 'ann', applications: ['app'] }] })).toMatchObject({
      evicted: 2,
      lost: [
        { owner: '', victims: 1, hours: { memory: 2 } },
        { owner: 'ann', victims: 1, hours: { memory: 3 } },
      ],
    });
  });

  it('adds up what one owner lost', () => {
    expect(driven({ owners: [{ user: 'ann', applications: ['app', 'other'] }] })).toMatchObject({
      lost: [{ owner: 'ann', victims: 2, hours: { memory: 5 } }],
    });
  });
});
