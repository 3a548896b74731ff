import { waitingForApproval } from '#contracts';

/** What the run that holds the lock of a queue does, in the same words wherever a queue is shown. @param state undefined: it has just begun. */
export const runWords = (state: string | null | undefined): string =>
  state === waitingForApproval ? 'run waits for approval' : 'run in progress';
