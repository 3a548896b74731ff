import type { Invocation } from '../invocation/invocation.js';

/** Warns of a misspelt name, which would stop nothing. @param meant the name that may be meant. */
export function warnOfUnknown(
  invocation: Invocation,
  { configured }: { configured?: boolean },
  partition: string,
  queue: string | undefined,
  meant?: string,
): void {
  if (configured !== false) return;
  const what = queue === undefined ? `partition ${partition}` : `queue ${queue} of partition ${partition}`;
  invocation.report(
    `warning: no configuration in force has the ${what}${meant === undefined ? ': is the name right?' : `; did you mean ${meant}?`}`,
  );
}
