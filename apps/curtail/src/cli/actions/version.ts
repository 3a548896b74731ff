import type { Action, Invocation } from '../invocation/invocation.js';
import { printLine } from '../output/print.js';

/** One line without a name, as with --version; an object where the call asks for JSON or YAML. */
export const showing = (version: string): Action => ({
  run: async (invocation: Invocation) => {
    const isData = invocation.formatGiven || invocation.terminal.env.CURTAIL_OUTPUT;
    if (isData) await printLine(invocation, { version }, version, version);
    else invocation.terminal.stdout.write(`${version}\n`);
  },
});
