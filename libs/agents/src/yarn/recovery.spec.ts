import { describe, expect, it } from '@jest/globals';
import type { Look } from './look.js';
import { Recovery } from './recovery.js';

const look = (startedOn: number, nodes: number, containers: number, begunAt = 0): Look =>
  ({
    info: { startedOn, isActive: true, version: '3.4.2' },
    nodes: Array.from({ length: nodes }, (_, index) => ({ id: `n${index}` })),
    apps: new Map([['a', { containers: Array.from({ length: containers }) }]]),
    begunAt,
  }) as unknown as Look;

describe('a manager that was started again', () => {
  it('is believed once its nodes are back and its lists no longer grow', () => {
    const recovery = new Recovery();
    expect(recovery.take(look(1, 2, 80))).toBe(true);
    expect(recovery.take(look(1, 2, 78))).toBe(true);
    expect(recovery.take(look(2, 0, 0))).toBe(false);
    expect(recovery.take(look(2, 1, 40))).toBe(false);
    expect(recovery.take(look(2, 2, 78))).toBe(false);
    expect(recovery.take(look(2, 2, 78))).toBe(true);
    expect(recovery.take(look(2, 2, 70))).toBe(true);
  });

  it('is believed without nodes that do not come back, after two minutes', () => {
    const recovery = new Recovery();
    recovery.take(look(1, 2, 80));
    expect(recovery.take(look(2, 1, 40, 1000))).toBe(false);
    expect(recovery.take(look(2, 1, 40, 120_000))).toBe(false);
    expect(recovery.take(look(2, 1, 40, 121_000))).toBe(true);
  });
});
