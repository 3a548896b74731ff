import { describe, expect, it } from '@jest/globals';
import { agoText, clockText, dueText, showTimesIn, withClockTimes, zoneText } from './time.js';

const now = Date.parse('2026-11-21T10:00:00.000Z');
const from = (seconds: number) => new Date(now + seconds * 1000).toISOString();

describe('times for people', () => {
  it.each([
    [12, 'in 12 s'],
    [90, 'in 1 min 30 s'],
    [0.4, 'now'],
    [-3, '3 s late'],
    [7384, 'in 2 h 3 min'],
  ])('what is due %s s from now is due "%s"', (seconds, text) => {
    expect(dueText(from(seconds), now)).toBe(text);
  });

  it.each([
    [-12, '12 s ago'],
    [-0.9, 'just now'],
    [5, 'just now'],
    [-110, '1 min ago'],
    [-90_000, '1 d ago'],
  ])('what was %s s from now was "%s"', (seconds, text) => {
    expect(agoText(from(seconds), now)).toBe(text);
  });

  it('are by that clock in sentences too, as in the columns beside them', () => {
    const at = '2026-11-21T10:00:07.123Z';
    expect(withClockTimes(`due at ${at} (quota lowered)`)).toBe(`due at ${clockText(at)} (quota lowered)`);
  });

  it('are by the clock on the wall where they stand in full', () => {
    const shown = clockText('2026-11-21T10:00:07.999Z');
    expect(new Date(shown.replace(' ', 'T')).getTime()).toBe(Date.parse('2026-11-21T10:00:07.000Z'));
  });

  it('are in UTC where that is chosen, and marked so', () => {
    showTimesIn('UTC');
    const at = '2026-11-21T23:59:07.999Z';
    const texts = [clockText(at), withClockTimes(`due at ${at}`), zoneText(), clockText(null)];
    showTimesIn('local time');
    expect(texts).toEqual(['2026-11-21 23:59:07Z', 'due at 2026-11-21 23:59:07Z', 'UTC', '-']);
    expect(zoneText()).toMatch(/^local time, UTC[+-]/);
  });

  it('are a dash where there are none', () => {
    expect([dueText(null, now), agoText(null, now), clockText(null)]).toEqual(['-', '-', '-']);
  });
});
