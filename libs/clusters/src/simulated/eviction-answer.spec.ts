import { describe, expect, it } from '@jest/globals';
import { answerEviction, type EvictionTarget } from './eviction-answer.js';

const running: EvictionTarget = {
  uid: 'u1',
  state: 'running',
  isGone: false,
  refusals: 0,
  refuseEvictions: null,
  reason: null,
};
const leaving: EvictionTarget = { ...running, state: 'releasing' };

describe('the answer to an eviction', () => {
  it('is gone for a missing allocation, and for one whose time is over', () => {
    expect(answerEviction(undefined, 'u1')).toEqual({ change: 'none', answer: { kind: 'gone' } });
    expect(answerEviction({ ...leaving, isGone: true }, 'u1').answer).toEqual({ kind: 'gone' });
    expect(answerEviction(leaving, 'u1').answer).toEqual({ kind: 'accepted', repeated: true });
  });

  it('spares another incarnation, also one that would refuse', () => {
    const another = { ...running, uid: 'u2', refuseEvictions: 'always' };
    expect(answerEviction(another, 'u1')).toEqual({
      change: 'none',
      answer: { kind: 'other-incarnation', uid: 'u2' },
    });
  });

  it('kills any incarnation of the id if none is named', () => {
    expect(answerEviction(running, undefined).change).toBe('kill');
  });

  it('refuses as often as the application asks, then kills', () => {
    const twice = { ...running, refuseEvictions: 2 };
    expect(answerEviction(twice, 'u1')).toMatchObject({
      change: 'refuse',
      answer: { kind: 'refused', retryable: true, code: 'budget' },
    });
    expect(answerEviction({ ...twice, refusals: 1 }, 'u1').change).toBe('refuse');
    expect(answerEviction({ ...twice, refusals: 2 }, 'u1').change).toBe('kill');
  });

  it('gives the reason of the allocation itself', () => {
    const own = { ...running, refuseEvictions: 2, reason: 'It writes a checkpoint' };
    expect(answerEviction(own, 'u1').answer).toMatchObject({
      message: 'It writes a checkpoint (1 of 2 refusals).',
    });
    expect(answerEviction({ ...own, refuseEvictions: 'always' }, 'u1').answer).toMatchObject({
      message: 'It writes a checkpoint',
    });
  });

  it('refuses permanently if the application asks for always', () => {
    const never = { ...running, refuseEvictions: 'always', refusals: 99 };
    expect(answerEviction(never, 'u1')).toMatchObject({
      change: 'refuse',
      answer: { kind: 'refused', retryable: false, code: 'forbidden' },
    });
  });
});
