const DAY_MS = 86_400_000;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Without a fraction, and with `Z` as the offset. */
const SHORTEST = 20;

const single = new Float64Array(1);

/** Milliseconds since 1970 of an RFC 3339 time, NaN for any other text. Digits below the millisecond are cut off. */
export function parseInstant(text: string): number {
  parseInstantInto(single, 0, text);
  return single[0]!;
}

/**
 * The same into a column: a snapshot has one such text for each allocation, and a number that is returned is an object of its own.
 * Works on character codes. All that must not be negative is tested at once: `|` of integers is negative if any of them is.
 *
 * @returns whether it is such a time.
 */
export function parseInstantInto(column: Float64Array, place: number, text: string): boolean {
  column[place] = Number.NaN;
  if (text.length < SHORTEST) return false;
  const y1 = digit(text, 0);
  const y2 = digit(text, 1);
  const y3 = digit(text, 2);
  const y4 = digit(text, 3);
  const o1 = digit(text, 5);
  const o2 = digit(text, 6);
  const d1 = digit(text, 8);
  const d2 = digit(text, 9);
  const h1 = digit(text, 11);
  const h2 = digit(text, 12);
  const m1 = digit(text, 14);
  const m2 = digit(text, 15);
  const s1 = digit(text, 17);
  const s2 = digit(text, 18);
  const month = o1 * 10 + o2;
  const day = d1 * 10 + d2;
  const hour = h1 * 10 + h2;
  const second = s1 * 10 + s2;
  const allDigits =
    (y1 | y2 | y3 | y4 | o1 | o2 | d1 | d2 | h1 | h2 | m1 | m2 | s1 | s2) >= 0 &&
    ((9 - y1) | (9 - y2) | (9 - y3) | (9 - y4) | (9 - o2) | (9 - d2) | (9 - h2) | (9 - m2) | (9 - s2)) >= 0;
  const separators =
    (text.charCodeAt(4) ^ 45) /* - */ |
    (text.charCodeAt(7) ^ 45) |
    ((text.charCodeAt(10) | 32) ^ 116) /* T, t */ |
    (text.charCodeAt(13) ^ 58) /* : */ |
    (text.charCodeAt(16) ^ 58);
  // Of these, the second digits are in range already, so the whole is in range only if the first digit is.
  const inRange =
    allDigits &&
    separators === 0 &&
    ((month - 1) | (12 - month) | (day - 1) | (23 - hour) | (5 - m1) | (60 - second)) >= 0;
  if (!inRange) return false;
  const year = y1 * 1000 + y2 * 100 + y3 * 10 + y4;
  if (day > daysInMonth(year, month)) return false;

  const fraction = fractionAt(text, 19);
  if (fraction.ms < 0) return false;
  const offsetMs = offsetAt(text, fraction.end);
  const localMs =
    daysSinceEpoch(year, month, day) * DAY_MS +
    hour * 3_600_000 +
    (m1 * 10 + m2) * 60_000 +
    second * 1000 +
    fraction.ms;
  const instant = localMs - offsetMs;
  if (Number.isNaN(instant) || (second === 60 && !followsMidnight(instant))) return false;
  column[place] = instant;
  return true;
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}

/** -1 where they are no digits. */
function twoDigits(text: string, at: number): number {
  const tens = digit(text, at);
  const units = digit(text, at + 1);
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
