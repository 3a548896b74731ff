import type { Invocation } from '../invocation/invocation.js';
import type { ExitStatus } from '../terminal/terminal.js';
import { type ChangeOptions, decideChange, oneOfBoth } from './approve.js';
import { runCommand } from './operate.js';

/** Rejects a run, or all runs of a configuration. */
export async function run(
  invocation: Invocation,
  given: string | undefined,
  options: ChangeOptions & { reason?: string },
): Promise<ExitStatus | undefined> {
  const { enforcement, version } = oneOfBoth(given, options);
  if (version !== undefined) return decideChange(invocation, 'reject', version, options);
  return runCommand('reject').run(invocation, ...([enforcement, options] as never[]));
}
