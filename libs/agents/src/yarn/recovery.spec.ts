import { describe, expect, it } from '@jest/globals';
import type { Look } from './look.js';
import { Recovery } from './recovery.js';

interface Seen {
  /** When the manager was started. */
  on: number;
  nodes?: number;
  /** Started at 0, or in their own time. */
  containers: string[] | Record<string, number>;
  begunAt?: number;
  submittedAt?: number;
}

const look = ({ on, nodes = 2, containers, begunAt = 0, submittedAt = on }: Seen): Look => {
  const all = Array.isArray(containers) ? Object.fromEntries(containers.map((id) => [id, 0])) : containers;
  return {
    info: { startedOn: on, isActive: true, version: '3.4.2' },
    nodes: Array.from({ length: nodes }, (_, index) => ({ id: `n${index}` })),
    apps: new Map([
      [
        'a',
        {
          app: { submittedAt },
          containers: Object.entries(all).map(([id, startedAt]) => ({ id, startedAt })),
        },
      ],
    ]),
    begunAt,
  } as unknown as Look;
};

describe('a manager that was started again', () => {
  it('is believed once its nodes are back and no more containers come back', () => {
    const recovery = new Recovery();
    expect(recovery.take(look({ on: 1, containers: ['a', 'b', 'c'] }))).toBe(true);
    expect(recovery.take(look({ on: 1, containers: ['a', 'b'] }))).toBe(true);
    expect(recovery.take(look({ on: 2, containers: [], nodes: 0 }))).toBe(false);
    expect(recovery.take(look({ on: 2, containers: ['a'], nodes: 1 }))).toBe(false);
    expect(recovery.take(look({ on: 2, containers: ['a', 'b'] }))).toBe(false);
    expect(recovery.take(look({ on: 2, containers: ['a', 'b'] }))).toBe(true);
    expect(recovery.take(look({ on: 2, containers: ['a'] }))).toBe(true);
  });

  it('is not believed while some come back, even if as many end', () => {
    const recovery = new Recovery();
    recovery.take(look({ on: 1, containers: ['a', 'b', 'c'] }));
    expect(recovery.take(look({ on: 2, containers: ['a', 'b'] }))).toBe(false);
    expect(recovery.take(look({ on: 2, containers: ['b', 'c'] }))).toBe(false);
    // One that the agent had not seen, but is older than the manager.
    expect(recovery.take(look({ on: 2, containers: { c: 0, d: 1 } }))).toBe(false);
    // New ones are no sign of it.
    expect(recovery.take(look({ on: 2, containers: { c: 0, d: 1, new: 3 } }))).toBe(true);
  });

  it('is believed without nodes that do not come back, after two minutes', () => {
    const recovery = new Recovery();
    recovery.take(look({ on: 1, containers: ['a', 'b'] }));
    for (const begunAt of [1000, 120_000]) {
      expect(recovery.take(look({ on: 2, nodes: 1, containers: ['a'], begunAt }))).toBe(false);
    }
    expect(recovery.take(look({ on: 2, nodes: 1, containers: ['a'], begunAt: 121_000 }))).toBe(true);
  });

  it('is not believed by an agent that was started meanwhile either, until it has run for two minutes', () => {
    const short = { on: 50_000, submittedAt: 1, containers: ['a'] };
    const recovery = new Recovery();
    for (const begunAt of [0, 1000, 89_000]) {
      expect(recovery.take(look({ ...short, begunAt }), 30_000)).toBe(false);
    }
    expect(recovery.take(look({ ...short, begunAt: 91_000 }), 30_000)).toBe(true);
    expect(new Recovery().take(look(short), 120_000)).toBe(true);
    // All of its work is its own.
    expect(new Recovery().take(look({ ...short, submittedAt: 50_001 }), 1000)).toBe(true);
  });
});
