const DAY_MS = 86_400_000;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Milliseconds since 1970 of an RFC 3339 time, NaN for any other text. Digits below the millisecond are cut off. Works on
 * character codes because a snapshot has one such text an allocation.
 */
export function parseInstant(text: string): number {
  const century = twoDigits(text, 0);
  const year = century * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const separators =
    text.charCodeAt(4) === 45 /* - */ &&
    text.charCodeAt(7) === 45 &&
    (text.charCodeAt(10) | 32) === 116 /* T, t */ &&
    text.charCodeAt(13) === 58 /* : */ &&
    text.charCodeAt(16) === 58;
  const inRange =
    separators &&
    century >= 0 &&
    year >= century * 100 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month) &&
    hour >= 0 &&
    hour <= 23 &&
    minute >= 0 &&
    minute <= 59 &&
    second >= 0 &&
    second <= 60;
  if (!inRange) return Number.NaN;

  const fraction = fractionAt(text, 19);
  if (fraction.ms < 0) return Number.NaN;
  const offsetMs = offsetAt(text, fraction.end);
  const localMs =
    daysSinceEpoch(year, month, day) * DAY_MS +
    hour * 3_600_000 +
    minute * 60_000 +
    second * 1000 +
    fraction.ms;
  const instant = localMs - offsetMs;
  return second === 60 && !followsMidnight(instant) ? Number.NaN : instant;
}

/** -1 where they are no digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const units = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : -1;
}

// One object for all calls: it is read before the next call.
const fractionFound = { ms: 0, end: 0 };

/** Below 0 where the point is not followed by digits. */
function fractionAt(text: string, at: number): { ms: number; end: number } {
  fractionFound.ms = 0;
  fractionFound.end = at;
  if (text.charCodeAt(at) !== 46 /* . */) return fractionFound;
  let end = at + 1;
  let unit = 100;
  for (; end < text.length; end++) {
    const digit = text.charCodeAt(end) - 48;
    if (!(digit >= 0 && digit <= 9)) break;
    fractionFound.ms += digit * unit;
    unit = unit === 100 ? 10 : unit === 10 ? 1 : 0;
  }
  if (end === at + 1) fractionFound.ms = -1;
  fractionFound.end = end;
  return fractionFound;
}

function offsetAt(text: string, at: number): number {
  const sign = text.charCodeAt(at);
  if ((sign | 32) === 122 /* Z, z */) return text.length === at + 1 ? 0 : Number.NaN;
  if ((sign !== 43 && sign !== 45) /* +, - */ || text.length !== at + 6 || text.charCodeAt(at + 3) !== 58) {
    return Number.NaN;
  }
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return Number.NaN;
  return (sign === 45 ? -1 : 1) * (hours * 3_600_000 + minutes * 60_000);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : DAYS_IN_MONTH[month - 1]!;
}

function daysSinceEpoch(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const leapDayOfYear = month > 2 && isLeapYear(year) ? 1 : 0;
  return before * 365 + leapDays + DAYS_BEFORE_MONTH[month - 1]! + leapDayOfYear + day - 1 - 719_162;
}

/** Second 60 exists only as the last of a day in UTC; with it added the clock has just passed midnight. */
function followsMidnight(instant: number): boolean {
  const timeOfDay = ((instant % DAY_MS) + DAY_MS) % DAY_MS;
  return timeOfDay < 1000;
}
