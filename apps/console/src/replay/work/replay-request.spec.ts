import { describe, expect, it } from '@jest/globals';
import { checkReplaySettings, settingsOf } from './replay-request.js';

describe('settings for plans of any policy', () => {
  const settings = { fit: 'within', maxAllowableLimit: 0.5, mainResource: 'memory', explain: true };

  it.each([
    ['quota-decrease', { fit: 'within', explain: true }],
    ['intra-queue', { maxAllowableLimit: 0.5, explain: true }],
    ['fair-share', { mainResource: 'memory', explain: true }],
    ['one of another version', {}],
  ])('give %s its own', (policy, own) => {
    expect(settingsOf(policy, settings)).toEqual(own);
  });

  it('may stand beside one another', () => {
    expect(() => checkReplaySettings(settings)).not.toThrow();
  });

  it.each([
    [{ fitt: 'within' }, 'settings.fitt', 'no policy has a setting fitt'],
    [{ fit: 'none' }, 'settings.fit', '"within"'],
    [{ maxAllowableLimit: 2 }, 'settings.maxAllowableLimit', 'from 0 to 1'],
    [{ fairShareStarvationTimeout: -1 }, 'settings.fairShareStarvationTimeout', 'at least 0'],
    [
      { preemptionSatisfactionThreshold: 1, aggressivePreemptionSatisfactionThreshold: 2 },
      'settings.aggressivePreemptionSatisfactionThreshold',
      'at most preemptionSatisfactionThreshold',
    ],
  ])('%j is refused', (wrong, path, what) => {
    expect(() => checkReplaySettings(wrong)).toThrow(
      expect.objectContaining({ path, message: expect.stringContaining(what) }),
    );
  });

  it.each([
    [{ preemptionSatisfactionThreshold: 0.1 }],
    [{ aggressivePreemptionSatisfactionThreshold: 5 }],
    [{ fairShareStarvationTimeout: 300_000 }],
    [{ fairShareAggressiveStarvationTimeout: 1 }],
  ])('%j may go with the recorded ones, whatever the defaults are', (given) => {
    expect(() => checkReplaySettings(given)).not.toThrow();
  });
});
