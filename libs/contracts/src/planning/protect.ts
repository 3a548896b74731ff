import { type GivenSettingsOf, numberOrNone, object, type ReadSettingsOf, texts } from './setting-schema.js';

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
