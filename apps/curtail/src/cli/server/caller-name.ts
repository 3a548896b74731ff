import { userInfo } from 'node:os';

/** The caller that the log names. */
export function callerName(): string {
  try {
    return userInfo().username || 'operator';
  } catch {
    // Containers run under users that have no name.
    return 'operator';
  }
}
