import { CommanderError } from 'commander';
import { commandsOf } from './commands/index.js';
import { buildProgram, calledWords } from './program.js';
import { isJsonWanted, reportError, UsageError } from './terminal/errors.js';
import { type ExitStatus, exitStatus, type Terminal } from './terminal/terminal.js';

/** One call of `curtail`, `argv` without the program itself. Never throws: errors go to `stderr`. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<ExitStatus> {
  let status: ExitStatus = exitStatus.done;
  const commands = await commandsOf(calledWords(argv));
  const ended = (reached: ExitStatus) => {
    status = reached;
  };
  const program = buildProgram(terminal, ended, commands);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError && !(error instanceof UsageError)) {
      // Help or the version, which commander has printed; help in place of a missing command is a failure.
      return error.exitCode === 0 ? exitStatus.done : exitStatus.failed;
    }
    const { output } = program.opts<{ output?: string }>();
    reportError(error, { ...terminal, jsonErrors: isJsonWanted(output, terminal.env) });
    return exitStatus.failed;
  }
}
