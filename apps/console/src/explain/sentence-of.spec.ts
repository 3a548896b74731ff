import { describe, expect, it } from '@jest/globals';
import { sentenceOf } from './sentence-of.js';

describe('the sentence of an event', () => {
  it('counts things as people do', () => {
    const applied = (queues: number) => sentenceOf('ConfigApplied', { queues, changed: 0 });
    expect(applied(1)).toBe('a configuration of 1 queue is in force, 0 changed');
    expect(applied(2)).toBe('a configuration of 2 queues is in force, 0 changed');
    const refused = (errors: unknown[]) => sentenceOf('ConfigRefused', { errors });
    expect(refused([{}])).toBe('a configuration was refused: 1 error');
    expect(refused([{}, {}])).toBe('a configuration was refused: 2 errors');
  });
});
