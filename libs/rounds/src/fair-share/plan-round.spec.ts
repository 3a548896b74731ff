import { describe, expect, it } from '@jest/globals';
import type { Plan } from '#contracts';
import { endOfBackOff } from './plan-round.js';

const takenAt = '2026-11-21T10:00:00.000Z';
const starves: Pick<Plan, 'reasons' | 'starts'> = {
  reasons: [{ cause: 'starvation', kind: 'operation', name: 'x', answered: false, missing: { vcore: 1 } }],
};
const start = { operation: 'x', pending: 0, node: 'n1', resources: { vcore: 1 } };
const nodeUsed = (id: string, at: string) => ({
  id,
  capacity: {},
  properties: { lastPreemptiveSchedulingAt: at },
});

describe('the end of the first back-off', () => {
  const used = [nodeUsed('n1', '2026-11-21T09:59:58.000Z'), nodeUsed('n2', '2026-11-21T09:59:57.000Z')];

  it('is none where nothing starves, or nothing is in back-off', () => {
    expect(endOfBackOff({ takenAt, nodes: used }, {}, {})).toBeUndefined();
    expect(endOfBackOff({ takenAt }, starves, {})).toBeUndefined();
    expect(
      endOfBackOff({ takenAt, nodes: used }, starves, { preemptiveSchedulingBackoff: 0 }),
    ).toBeUndefined();
  });

  it('is that of the node used longest ago, or of this plan', () => {
    expect(endOfBackOff({ takenAt, nodes: used }, starves, {})).toEqual(new Date('2026-11-21T10:00:02.001Z'));
    const starts = [{ ...start, victims: ['a'] }];
    expect(endOfBackOff({ takenAt }, { ...starves, starts }, {})).toEqual(
      new Date('2026-11-21T10:00:05.001Z'),
    );
    expect(
      endOfBackOff({ takenAt }, { ...starves, starts: [{ ...start, victims: [] }] }, {}),
    ).toBeUndefined();
  });

  it('is a valid date however long a back-off is', () => {
    const settings = { preemptiveSchedulingBackoff: Number.MAX_SAFE_INTEGER };
    expect(endOfBackOff({ takenAt, nodes: used }, starves, settings)).toEqual(
      new Date('9999-12-31T23:59:59.999Z'),
    );
  });
});
