import { describe, expect, it } from '@jest/globals';
import { answerEviction, type Standing } from './eviction-answer.js';

const now = new Date('2026-11-21T10:00:00Z');
const running: Standing = { uid: 'u1', state: 'running', goneAt: null, refusals: 0, refuseEvictions: null };
const leaving: Standing = { ...running, state: 'releasing', goneAt: new Date(now.getTime() + 1) };

describe('the answer to an eviction', () => {
  it('is gone where nothing stands, and from the very moment of going', () => {
    expect(answerEviction(undefined, 'u1', now)).toEqual({ change: 'none', answer: { kind: 'gone' } });
    expect(answerEviction({ ...leaving, goneAt: now }, 'u1', now).answer).toEqual({ kind: 'gone' });
    expect(answerEviction(leaving, 'u1', now).answer).toEqual({ kind: 'accepted', repeated: true });
  });

  it('spares another incarnation, also one that would refuse', () => {
    const another = { ...running, uid: 'u2', refuseEvictions: 'always' };
    expect(answerEviction(another, 'u1', now)).toEqual({
      change: 'none',
      answer: { kind: 'other-incarnation', uid: 'u2' },
    });
  });

  it('kills whatever stands under the id if no incarnation is named', () => {
    expect(answerEviction(running, undefined, now).change).toBe('kill');
  });

  it('refuses as often as the application says, then kills', () => {
    const twice = { ...running, refuseEvictions: 2 };
    expect(answerEviction(twice, 'u1', now)).toMatchObject({
      change: 'refuse',
      answer: { kind: 'refused', retryable: true, code: 'budget' },
    });
    expect(answerEviction({ ...twice, refusals: 1 }, 'u1', now).change).toBe('refuse');
    expect(answerEviction({ ...twice, refusals: 2 }, 'u1', now).change).toBe('kill');
  });

  it('refuses for good where the application says always', () => {
    const never = { ...running, refuseEvictions: 'always', refusals: 99 };
    expect(answerEviction(never, 'u1', now)).toMatchObject({
      change: 'refuse',
      answer: { kind: 'refused', retryable: false, code: 'forbidden' },
    });
  });
});
