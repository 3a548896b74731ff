import { describe, expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { modeSettings } from './app-settings.js';

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
