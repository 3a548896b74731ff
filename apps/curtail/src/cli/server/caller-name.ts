import { userInfo } from 'node:os';

/** The caller that the log names. */
export function callerName(): string {
  try {
    return userInfo().username || 'operator';
  } catch {
    // The user of a container may have no name.
    return 'operator';
  }
}
