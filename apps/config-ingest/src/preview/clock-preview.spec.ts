import { expect, it } from '@jest/globals';
import { initialClockState } from '#enforcement';
import { removalPreview } from './clock-preview.js';

const state = initialClockState('default', 'root.a');

it('ends the clock of a removed queue only where one runs', () => {
  const cancelled = {
    name: 'EnforcementCancelled' as const,
    data: {
      partition: 'default',
      queue: 'root.a',
      enforcement: 'e-1',
      generation: 1,
      cause: 'queue-removed' as const,
    },
  };
  expect(removalPreview({ state, events: [cancelled] as never })).toEqual({
    effect: 'cancels',
    because: 'the queue leaves the configuration',
  });
  const none = { effect: 'none', because: 'no clock of it runs' };
  expect(removalPreview({ state, events: [] })).toEqual(none);
  expect(removalPreview(undefined)).toEqual(none);
});
