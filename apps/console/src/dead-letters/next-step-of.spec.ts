import { describe, expect, it } from '@jest/globals';
import { type LetterKind, nextStepOf } from './next-step-of.js';

const letter = (more: Partial<LetterKind>): LetterKind => ({
  consumer: 'timer',
  event: 'e1',
  topic: 'curtail.quota',
  inLog: true,
  parkedAt: new Date('2026-11-21T10:00:00Z'),
  retryAt: null,
  ...more,
});

describe('a dead letter', () => {
  it('of an event of the log can be tried again', () => {
    expect(nextStepOf(letter({}))).toMatchObject({
      retryable: true,
      nextStep: expect.stringContaining('then curtail dead-letters retry timer/e1'),
    });
    expect(nextStepOf(letter({ retryAt: new Date() })).nextStep).toContain('by itself within a minute');
  });

  it.each<[string, Partial<LetterKind>, RegExp]>([
    ['that is not in the log', { inLog: false }, /find out who wrote to curtail\.quota/],
    ['of the relay', { consumer: 'relay' }, /raise max\.message\.bytes of curtail\.quota/],
    ['of a configuration', { topic: 'curtail.config.submissions', inLog: false }, /submit it again/],
    ['of a report', { topic: 'curtail.inventory', inLog: false }, /send a complete InventoryListed/],
    // Whatever its id.
    [
      'of a report with the id of an event',
      { topic: 'curtail.inventory' },
      /send a complete InventoryListed/,
    ],
    ['of an answer', { topic: 'curtail.evictions.answers', inLog: false }, /as unanswered/],
  ])('%s cannot, and the next step is named', (_what, more, nextStep) => {
    expect(nextStepOf(letter(more))).toMatchObject({
      retryable: false,
      nextStep: expect.stringMatching(nextStep),
    });
    expect(nextStepOf(letter(more)).nextStep).toContain('curtail dead-letters discard');
  });
});
