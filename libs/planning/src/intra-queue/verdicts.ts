import type { IntraQueueSpared } from '#contracts';

/** The verdict on an allocation that may be taken; NO_GIVE also for those that were never checked. */
export const NO_GIVE = 0;
export const UNFIT = 1;
export const PAST_USER_LIMIT = 2;
export const PAST_ROUND = 3;
export const PAST_TYPE = 4;
export const NOT_NEEDED = 5;
export const TAKEN = 6;

/** By number above; TAKEN has none. */
export const VERDICT_REASONS: readonly IntraQueueSpared[] = [
  'no-give',
  'unfit',
  'user-limit',
  'round-ceiling',
  'conservative-drf',
  'not-needed',
];
