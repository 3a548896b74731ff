import { CommandError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

interface StartOptions {
  data?: string;
  host?: string;
  port?: string;
  sample: boolean;
  mode?: 'observe' | 'enforce';
  settings?: string;
  token?: string;
}

/** Everything in one process. Resolves when it runs; it ends with the process. */
export async function run({ terminal, tokenGiven }: Invocation, options: StartOptions): Promise<ExitStatus> {
  const { start } = await import('../../start/start.js');
  // A service goes on when nobody reads any more what it prints.
  terminal.stdout.removeAllListeners('error').on('error', () => {});
  await start(environmentOf(options, terminal.env, tokenGiven), explainStart);
  return exitStatus.done;
}
