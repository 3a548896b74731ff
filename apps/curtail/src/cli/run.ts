import { CommanderError } from 'commander';
import { buildProgram } from './program.js';
import { reportError } from './terminal/errors.js';
import { type ExitStatus, exitStatus, type Terminal } from './terminal/terminal.js';

/** One call of `curtail`, `argv` without the program itself. Never throws: errors go to `stderr`. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  let status: ExitStatus = exitStatus.done;
  const program = buildProgram(terminal, (reached) => {
    status = reached;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already printed its message; help and version are not failures.
      return error.exitCode === 0 ? exitStatus.done : exitStatus.failed;
    }
    reportError(error, terminal);
    return exitStatus.failed;
  }
}
