import type { Invocation } from '../invocation/invocation.js';

/** Warns of a misspelt name, which would stop nothing. */
export function warnOfUnknown(
  invocation: Invocation,
  { configured }: { configured?: boolean },
  partition: string,
  queue: string | undefined,
): void {
  if (configured !== false) return;
  const what = queue === undefined ? `partition ${partition}` : `queue ${queue} of partition ${partition}`;
  invocation.report(`warning: no configuration in force has the ${what}: is the name right?`);
}
