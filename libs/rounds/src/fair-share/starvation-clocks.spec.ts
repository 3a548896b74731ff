import { describe, expect, it } from '@jest/globals';
import type { Plan } from '#contracts';
import { timeLeft } from './starvation-clocks.js';

const takenAt = '2026-11-21T10:00:00.000Z';
const after = (seconds: number) => new Date(Date.parse(takenAt) + seconds * 1000).toISOString();
const plan = { victims: [{ gracePeriodMs: 10_000 }, {}] } as unknown as Plan;
const at = (seconds: number, deadlineSeconds = 86_400) =>
  timeLeft({ takenAt, plan }, { openedAt: after(seconds), deadlineSeconds });

describe('the time that a run of fair-share has left', () => {
  it('is a minute and the longest time to finish, counted from the snapshot', () => {
    expect(at(0).roundSeconds).toBe(70);
    expect(at(45).roundSeconds).toBe(25);
  });
  it('is nothing for a plan that is too old', () => {
    expect(at(71)).toMatchObject({ roundSeconds: 0 });
    expect(at(3600)).toEqual({ roundSeconds: 0, deadlineSeconds: 0 });
  });
  it('is ten minutes while it waits for an approval, or the setting if that is less', () => {
    expect(at(10).deadlineSeconds).toBe(600);
    expect(at(0, 300).deadlineSeconds).toBe(300);
  });
  it('is not longer with a clock that is behind', () => {
    expect(at(-30).roundSeconds).toBe(70);
  });
});
