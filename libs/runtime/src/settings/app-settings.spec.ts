import { describe, expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { modeSettings, mostVictimsOf } from './app-settings.js';

describe('CURTAIL_QUOTA_DECREASE', () => {
  const read = (settings: object) =>
    readSettings(modeSettings, { CURTAIL_QUOTA_DECREASE: JSON.stringify(settings) }).policy;

  it('has settings of the policy', () => {
    expect(read({ fit: 'within', miss: 5 })).toEqual({ fit: 'within', miss: 5 });
  });

  it.each([true, false])('does not have the switch, which each partition has itself: %s', (on) => {
    expect(() => read({ quotaPreemptionEnabled: on })).toThrow(
      /CURTAIL_QUOTA_DECREASE .*sets quotaPreemptionEnabled, which has no effect here \(each partition has its own/,
    );
  });
});

it.each([
  [1000, 20_000],
  [200_000, 20_000],
  [2_000_000, 200_000],
])(
  'permits runs with up to a tenth of %d allocations as victims, and with 20,000',
  (allocations, victims) => {
    expect(mostVictimsOf(allocations)).toBe(victims);
  },
);
