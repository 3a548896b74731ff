import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';
import { programVersion } from '../version.js';

/** One line without a name, as with --version; an object where the call asks for JSON or YAML. */
export async function run(invocation: Invocation): Promise<ExitStatus> {
  const version = programVersion();
  const isData = invocation.formatGiven || invocation.terminal.env.CURTAIL_OUTPUT;
  if (isData) await print(invocation, { value: { version }, table: () => [version], names: () => [version] });
  else invocation.terminal.stdout.write(`${version}\n`);
  return exitStatus.done;
}
