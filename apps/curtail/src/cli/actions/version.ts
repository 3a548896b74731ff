import type { Action, Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { exitStatus } from '../terminal/terminal.js';

/** One line without a name, as with --version; an object where the call asks for JSON or YAML. */
export const showing = (version: string): Action => ({
  run: async (invocation: Invocation) => {
    const isData = invocation.formatGiven || invocation.terminal.env.CURTAIL_OUTPUT;
    if (isData)
      await print(invocation, { value: { version }, table: () => [version], names: () => [version] });
    else invocation.terminal.stdout.write(`${version}\n`);
    return exitStatus.done;
  },
});
