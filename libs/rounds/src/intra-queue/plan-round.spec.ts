import { describe, expect, it } from '@jest/globals';
import { monitoringIntervalMs } from './plan-round.js';

describe('the interval of rounds in a configuration', () => {
  it.each([
    ['the policy is not named', undefined, undefined],
    ['it is named', {}, 3000],
    ['with an interval', { monitoringInterval: 500 }, 500],
    ['it is switched off', { enabled: false, monitoringInterval: 500 }, undefined],
    ['its settings cannot be read', { monitoringInterval: 'soon' }, undefined],
  ])('%s', (_, settings, interval) => {
    expect(monitoringIntervalMs(settings)).toBe(interval);
  });
});
