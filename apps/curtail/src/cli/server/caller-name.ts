import { userInfo } from 'node:os';

/** Who stands in the log as the one who said it. */
export function callerName(): string {
  try {
    return userInfo().username || 'operator';
  } catch {
    // Containers run under users that have no name.
    return 'operator';
  }
}
