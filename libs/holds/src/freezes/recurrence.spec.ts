import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { type Interval, Recurrence } from './recurrence.js';

const weekend = {
  start: '2026-01-02T18:00:00',
  timeZone: 'Europe/Berlin',
  duration: 'P2DT12H',
  rule: 'FREQ=WEEKLY;BYDAY=FR',
};
const nightly = {
  start: '2026-01-01T22:00:00',
  timeZone: 'Europe/Berlin',
  duration: 'PT8H',
  rule: 'FREQ=DAILY',
};

const at = (window: ConstructorParameters<typeof Recurrence>[0], instant: string) =>
  inZone(new Recurrence(window).at(Date.parse(instant)), window.timeZone);

function inZone(interval: Interval | undefined, timeZone: string): string | undefined {
  if (!interval) return undefined;
  const text = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms)
      .toZonedDateTimeISO(timeZone)
      .toString({ timeZoneName: 'never', smallestUnit: 'minute' });
  return `${text(interval.from)} ${text(interval.until)}`;
}

it('contains its first moment and not its last', () => {
  expect(at(weekend, '2026-01-02T16:59:59.999Z')).toBeUndefined();
  expect(at(weekend, '2026-01-02T17:00:00.000Z')).toBe('2026-01-02T18:00+01:00 2026-01-05T06:00+01:00');
  expect(at(weekend, '2026-01-05T04:59:59.999Z')).toBe('2026-01-02T18:00+01:00 2026-01-05T06:00+01:00');
  expect(at(weekend, '2026-01-05T05:00:00.000Z')).toBeUndefined();
});

it('a recurring window keeps the time of day when daylight saving begins and ends', () => {
  expect(at(weekend, '2026-03-28T12:00Z')).toBe('2026-03-27T18:00+01:00 2026-03-30T06:00+02:00');
  expect(at(weekend, '2026-10-24T12:00Z')).toBe('2026-10-23T18:00+02:00 2026-10-26T06:00+01:00');
  expect(at({ ...weekend, timeZone: 'America/New_York' }, '2026-03-07T12:00Z')).toBe(
    '2026-03-06T18:00-05:00 2026-03-09T06:00-04:00',
  );
});

it('a recurring window counts hours of its duration as hours, and days as days of the calendar', () => {
  expect(at(nightly, '2026-03-29T00:30Z')).toBe('2026-03-28T22:00+01:00 2026-03-29T07:00+02:00');
  expect(at(nightly, '2026-10-25T00:30Z')).toBe('2026-10-24T22:00+02:00 2026-10-25T05:00+01:00');
  const daily = { ...nightly, duration: 'P1D' };
  expect(at(daily, '2026-03-29T00:30Z')).toBe('2026-03-28T22:00+01:00 2026-03-29T22:00+02:00');
});

it('a recurring window is never left out: a start that daylight saving skips is an hour later', () => {
  const early = { ...nightly, start: '2026-01-01T02:30:00', duration: 'PT1H' };
  expect(at(early, '2026-03-29T01:45Z')).toBe('2026-03-29T03:30+02:00 2026-03-29T04:30+02:00');
});

it('a recurring window starts once where a local time occurs twice: at the first', () => {
  const early = { ...nightly, start: '2026-01-01T02:30:00', duration: 'PT30M' };
  expect(at(early, '2026-10-25T00:45Z')).toBe('2026-10-25T02:30+02:00 2026-10-25T02:00+01:00');
  expect(at(early, '2026-10-25T01:45Z')).toBeUndefined();
});

it('follows a zone whose daylight saving is half an hour', () => {
  const howe = { ...nightly, timeZone: 'Australia/Lord_Howe' };
  expect(at(howe, '2026-04-04T14:00Z')).toBe('2026-04-04T22:00+11:00 2026-04-05T05:30+10:30');
});

it('a recurring window ends with UNTIL, which is in UTC, and with COUNT', () => {
  const until = new Recurrence({ ...nightly, rule: 'FREQ=DAILY;UNTIL=20260103T210000Z' });
  expect(inZone(until.next(Date.parse('2026-01-03T00:00Z')), 'Europe/Berlin')).toBe(
    '2026-01-03T22:00+01:00 2026-01-04T06:00+01:00',
  );
  expect(until.next(Date.parse('2026-01-03T21:00:00.001Z'))).toBeUndefined();
  const counted = new Recurrence({ ...nightly, rule: 'FREQ=DAILY;COUNT=2' });
  expect(counted.at(Date.parse('2026-01-02T21:00Z'))).toBeDefined();
  expect(counted.at(Date.parse('2026-01-03T21:00Z'))).toBeUndefined();
});

it('joins occurrences that overlap', () => {
  const overlapping = {
    ...nightly,
    start: '2026-01-01T22:00:00',
    duration: 'PT30H',
    rule: 'FREQ=DAILY;COUNT=2',
  };
  expect(at(overlapping, '2026-01-02T22:00Z')).toBe('2026-01-01T22:00+01:00 2026-01-04T04:00+01:00');
});

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Asia/Kolkata',
];

/** Day by day, without the library. */
function* naiveDaily(
  start: Temporal.PlainDateTime,
  timeZone: string,
  hours: number,
  days: number,
): Generator<Interval> {
  for (let day = 0; day < days; day++) {
    const from = start.add({ days: day }).toZonedDateTime(timeZone).epochMilliseconds;
    yield { from, until: from + hours * 3_600_000 };
  }
}

it('agrees with a day-by-day calendar at any moment of two years, in any order of questions', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 0, max: 24 * 60 - 1 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.integer({ min: 0, max: 720 * 24 * 60 }), { minLength: 1, maxLength: 12 }),
      (timeZone, minute, hours, moments) => {
        const start = Temporal.PlainDateTime.from('2026-01-01').add({ minutes: minute });
        const recurrence = new Recurrence({
          ...{ start: start.toString({ smallestUnit: 'second' }), timeZone },
          ...{ duration: `PT${hours}H`, rule: 'FREQ=DAILY' },
        });
        const all = [...naiveDaily(start, timeZone, hours, 730)];
        for (const minutes of moments) {
          const atMs = Date.parse('2026-01-02T00:00Z') + minutes * 60_000;
          const covering = all.filter(({ from, until }) => from <= atMs && atMs < until);
          const expected =
            covering.length === 0
              ? undefined
              : {
                  from: Math.min(...covering.map(({ from }) => from)),
                  until: Math.max(...covering.map(({ until }) => until)),
                };
          expect(recurrence.at(atMs)).toEqual(expected);
          expect(recurrence.next(atMs)).toEqual(all.find(({ from }) => from >= atMs));
        }
      },
    ),
    { numRuns: 20 },
  );
});
