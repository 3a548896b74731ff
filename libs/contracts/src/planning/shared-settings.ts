import { InputError } from '../input-error.js';
import {
  type GivenSettingsOf,
  listOf,
  numberOrNone,
  object,
  oneOf,
  type ReadSettingsOf,
  required,
  texts,
  wholeNumber,
} from './setting-schema.js';

/** More names than this in one list of `protect` are treated as a mistake. */
export const maxProtectedNames = 100_000;

const schema = {
  queues: texts(maxProtectedNames),
  applications: texts(maxProtectedNames),
  users: texts(maxProtectedNames),
  allocations: texts(maxProtectedNames),
  priorityAtLeast: numberOrNone,
};

/** Allocations that are never victims, the setting `protect`; matching one entry is enough. A queue covers everything below it. */
export const protect = object(schema);

export type ReadProtect = ReadSettingsOf<typeof schema>;
export type Protect = GivenSettingsOf<typeof schema>;

/** 2562047 h, the longest duration. */
export const longestSeconds = 9_223_369_200;
export const upToLongest = 'a whole number of seconds from 0 to 9223369200 (2562047 h)';

const ownerBudget = object({
  per: required(oneOf(['user', 'application', 'queue'])),
  victims: required(wholeNumber(0, [0, Number.MAX_SAFE_INTEGER], 'a whole number of victims, at least 0')),
  seconds: required(wholeNumber(0, [0, longestSeconds], upToLongest)),
});

/** So many victims an owner may have in so many seconds. docs/reference/policies/victim-care.md §6 */
export type OwnerBudget = ReturnType<typeof ownerBudget>;

export const ownerBudgets = listOf(ownerBudget, 1000);

/** Services keep victims for so long. */
export const victimsKeptDays = 90;
const longestWindow = victimsKeptDays * 86_400;

/** The same where recorded victims are counted: no window is longer than victims are kept. */
export const countedOwnerBudgets: typeof ownerBudgets = (value, path) => {
  const budgets = ownerBudgets(value, path);
  const tooLong = budgets.findIndex(({ seconds }) => seconds > longestWindow);
  if (tooLong < 0) return budgets;
  throw new InputError(
    `${path}[${tooLong}].seconds`,
    `victims are kept for ${longestWindow} s (${victimsKeptDays} days); write at most that`,
  );
};
