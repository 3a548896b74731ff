import { describe, expect, it } from '@jest/globals';
import { monitoringIntervalMs, nextBeat } from './monitored.js';

describe('the rounds that a configuration wants', () => {
  it.each([
    ['nothing is said', undefined, undefined],
    ['the policy is not named', {}, undefined],
    ['it is named', { 'intra-queue': {} }, 3000],
    ['with an interval', { 'intra-queue': { monitoringInterval: 500 } }, 500],
    ['it is switched off', { 'intra-queue': { enabled: false, monitoringInterval: 500 } }, undefined],
    ['its settings cannot be read', { 'intra-queue': { monitoringInterval: 'soon' } }, undefined],
  ])('%s', (_, policies, interval) => {
    expect(monitoringIntervalMs(policies)).toBe(interval);
  });
});

describe('the next beat', () => {
  const at = (ms: number) => new Date(1_000_000 + ms);
  it.each([
    ['on time', 0, 300],
    ['a little late keeps the rhythm', 20, 300],
    ['a whole beat late', 300, 600],
    ['slept through: beats are not made up for', 1000, 1200],
    ['woken early', -10, 300],
  ])('%s', (_, nowMs, nextMs) => {
    expect(nextBeat(at(0), at(nowMs), 300)).toEqual(at(nextMs));
  });
  it('after an interval whose end no calendar has', () => {
    const last = new Date('9999-12-31T23:59:59.999Z');
    expect(nextBeat(at(0), at(0), Number.MAX_SAFE_INTEGER)).toEqual(last);
  });
});
