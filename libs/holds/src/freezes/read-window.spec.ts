import { expect, it } from '@jest/globals';
import { InputError } from '#contracts';
import { type GivenWindow, readWindow } from './read-window.js';

const now = Date.parse('2026-11-25T17:00:00.000Z');
const read = (given: GivenWindow) => readWindow(given, now);
const recurring = { from: '2026-11-27T18:00', duration: 'P2DT12H', rule: 'FREQ=WEEKLY;BYDAY=FR' };

function fault(given: GivenWindow): string {
  try {
    read(given);
  } catch (error) {
    if (error instanceof InputError) return error.sentence;
    throw error;
  }
  return 'none';
}

it('a freeze is given as one window from now, or from a time, until a time or for a duration', () => {
  expect(read({ until: '2026-12-01T08:00Z' })).toEqual({
    from: '2026-11-25T17:00:00.000Z',
    until: '2026-12-01T08:00:00.000Z',
  });
  expect(read({ from: '2026-12-24T00:00', until: '2026-12-27T00:00', timeZone: 'Europe/Berlin' })).toEqual({
    from: '2026-12-23T23:00:00.000Z',
    until: '2026-12-26T23:00:00.000Z',
  });
  expect(
    read({ from: '2027-03-27T12:00[Europe/Berlin]', duration: 'P1D', timeZone: 'Europe/Berlin' }),
  ).toEqual({
    from: '2027-03-27T11:00:00.000Z',
    until: '2027-03-28T10:00:00.000Z',
  });
});

it('a freeze is given as a recurring window, whose zone is UTC if none is given', () => {
  expect(read({ ...recurring, timeZone: 'Europe/Berlin' })).toEqual({
    start: '2026-11-27T18:00:00',
    timeZone: 'Europe/Berlin',
    duration: 'P2DT12H',
    rule: 'FREQ=WEEKLY;BYDAY=FR',
  });
  expect(read({ ...recurring, rule: 'rrule:freq=weekly;interval=1;wkst=mo' })).toMatchObject({
    timeZone: 'UTC',
    rule: 'FREQ=WEEKLY;INTERVAL=1;WKST=MO',
  });
  expect(read({ ...recurring, rule: 'FREQ=DAILY;UNTIL=20271231T000000Z' })).toMatchObject({
    rule: 'FREQ=DAILY;UNTIL=20271231T000000Z',
  });
});

it.each<[string, GivenWindow, string]>([
  ['no end', {}, 'until: a freeze needs an end'],
  [
    'two ends',
    { until: '2026-12-01T08:00Z', duration: 'PT1H' },
    'duration: write until or duration, not both',
  ],
  ['a time without a zone', { until: '2026-12-01T08:00' }, 'until: 2026-12-01T08:00 has no time zone'],
  ['no time', { until: 'tomorrow' }, 'until: tomorrow is not a time'],
  ['a wrong time', { until: '2026-13-01T08:00Z' }, 'until: 2026-13-01T08:00Z is not a time'],
  [
    'an end in the past',
    { from: '2026-01-01T00:00Z', until: '2026-01-02T00:00Z' },
    'until: the freeze is over',
  ],
  [
    'an end before the begin',
    { from: '2027-01-02T00:00Z', until: '2027-01-01T00:00Z' },
    'until: the freeze ends at',
  ],
  ['more than a year', { until: '2027-11-27T17:00:00Z' }, 'until: a freeze lasts at most 366 days'],
  [
    'an unknown zone',
    { ...recurring, timeZone: 'Europe/Bärlin' },
    'timeZone: there is no time zone Europe/Bärlin',
  ],
  ['a rule without a start', { ...recurring, from: undefined }, 'from: a rule needs its first start'],
  ['a rule without a duration', { ...recurring, duration: undefined }, 'duration: a rule needs a duration'],
  ['a rule with until', { ...recurring, until: '2026-12-01T08:00Z' }, 'until: end a rule with UNTIL'],
  [
    'a start in UTC',
    { ...recurring, from: '2026-11-27T18:00Z' },
    'from: 2026-11-27T18:00Z is not a local time',
  ],
  [
    'a start with an offset',
    { ...recurring, from: '2026-11-27T18:00-05:00' },
    'from: 2026-11-27T18:00-05:00 is not',
  ],
  ['months', { ...recurring, duration: 'P1M' }, 'duration: P1M: write weeks'],
  ['no duration', { ...recurring, duration: 'PT0S' }, 'duration: PT0S: a freeze must be longer than 0'],
  [
    'a negative duration',
    { ...recurring, duration: '-PT1H' },
    'duration: -PT1H: a freeze must be longer than 0',
  ],
  ['a wrong duration', { ...recurring, duration: '8h' }, 'duration: 8h is not a duration'],
  [
    'more than 31 days',
    { ...recurring, duration: 'P31DT1S' },
    'duration: a recurring freeze lasts at most 31 days',
  ],
  ['a wrong part', { ...recurring, rule: 'FREQ=WEEKLY;FOO=1' }, 'rule: FOO=1 is not a part of a rule'],
  ['no frequency', { ...recurring, rule: 'BYDAY=FR' }, 'rule: BYDAY=FR: RRULE must include FREQ'],
  [
    'a time of day',
    { ...recurring, rule: 'FREQ=DAILY;BYHOUR=8' },
    'rule: BYHOUR=8: the time of day is that of',
  ],
  ['every hour', { ...recurring, rule: 'FREQ=HOURLY' }, 'rule: FREQ=HOURLY: write DAILY'],
  ['a part twice', { ...recurring, rule: 'FREQ=DAILY;FREQ=WEEKLY' }, 'rule: FREQ is set twice'],
  ['an impossible month', { ...recurring, rule: 'FREQ=DAILY;BYMONTH=13' }, 'rule: BYMONTH=13 has a value'],
  [
    'one impossible month',
    { ...recurring, rule: 'FREQ=DAILY;BYMONTH=3,13' },
    'rule: BYMONTH=3,13 has a value',
  ],
  [
    'a wrong day',
    { ...recurring, rule: 'FREQ=WEEKLY;BYDAY=XX' },
    'rule: FREQ=WEEKLY;BYDAY=XX: Invalid BYDAY',
  ],
  [
    'a count of 0',
    { ...recurring, rule: 'FREQ=DAILY;COUNT=0' },
    'rule: COUNT=0: write a number from 1 to 1000',
  ],
  [
    'a day that never comes',
    { ...recurring, rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' },
    'rule: FREQ=YEARLY',
  ],
  [
    'a rule that is over',
    { ...recurring, rule: 'FREQ=DAILY;UNTIL=20261120T000000Z' },
    'rule: FREQ=DAILY;UNTIL',
  ],
  [
    'too many steps',
    { ...recurring, from: '2000-02-01T00:00', rule: 'FREQ=DAILY;BYMONTH=2;COUNT=1000' },
    'rule: FREQ',
  ],
])('refuses %s', (_, given, sentence) => {
  expect(fault(given)).toMatch(sentence);
});
