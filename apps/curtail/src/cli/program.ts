import { type Command, Option } from 'commander';
import type { Register } from './commands/command.js';
import { connectionOf, defaultServer } from './contexts/connection.js';
import { type GeneralOptions, Invocation, lineFormat, outputFormats } from './invocation/invocation.js';
import { showTimesIn } from './output/time.js';
import { ServerError } from './server/server-error.js';
import { CliCommand, optionOf, withOptions } from './terminal/cli-command.js';
import { isJsonWanted, reportError } from './terminal/errors.js';
import { type ExitStatus, exitStatus, type Terminal } from './terminal/terminal.js';
import { programVersion } from './version.js';

/** The program with its shared options, without commands. */
const bareProgram = (): Command =>
  new CliCommand('curtail')
    .description('Enforces lowered quotas in cluster schedulers: durable, explainable, replayable.')
    .version(programVersion(), '-V, --version', 'the version of this program')
    .addOption(
      new Option(
        '-o, --output <format>',
        'format of the output (CURTAIL_OUTPUT); default: table on a terminal, else json',
      ).choices([...outputFormats, lineFormat]),
    )
    .option(
      '--server <url>',
      `the address of a running Curtail, or unix:PATH (CURTAIL_SERVER); default: that of the context, or ${defaultServer}`,
    )
    .option(
      '--context <name>',
      'a context of `curtail config`; for start and doctor, a context of the kubeconfig',
    )
    .addOption(new Option('--token <token>', 'the token of the server (CURTAIL_TOKEN)'))
    .option(
      '--client-cert <file>',
      'a certificate in PEM that the server is shown (CURTAIL_CLIENT_CERT_FILE); needs --client-key',
    )
    .option('--client-key <file>', 'the key of that certificate (CURTAIL_CLIENT_KEY_FILE)')
    .option('--no-color', 'no colors, even on a terminal')
    .option('--utc', 'times in UTC; default: local time')
    .option('-q, --quiet', 'only errors, no other messages or progress bars')
    .addHelpText(
      'after',
      '\nExit status: 0 done; 1 a preview that would evict, a status or doctor that found something, or a wait that ran out of time; 2 bad input or failure, or a replay that differs.',
    )
    .addHelpText('after', 'Where a file is expected, - is standard input.')
    .helpCommand(false);

/** The words of a call without the options before its command, and without their values. */
export function calledWords(argv: readonly string[]): readonly string[] {
  const { options } = bareProgram();
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (!word.startsWith('-')) return argv.slice(at);
    if (options.find(({ short, long }) => word === short || word === long)?.required) at++;
  }
  return [];
}

/** The shared options with commands. `ended` receives the exit status of the command that ran. */
export function buildProgram(
  terminal: Terminal,
  ended: (status: ExitStatus) => void,
  commands: readonly Register[],
): Command {
  const program = bareProgram();
  for (const register of commands) {
    register(program, (load) => async (...received) => {
      const command = received.at(-1) as Command;
      const options = optionsOf(command);
      const connection = await settled(connectionOf(terminal.env, options));
      showTimesIn(options.utc ? 'UTC' : 'local time');
      const inForm = { ...terminal, jsonErrors: isJsonWanted(options.output, terminal.env) };
      const optionOfField = (path: string) => optionOf(command, path);
      const invocation = new Invocation(inForm, options, connection, optionOfField);
      const { run } = await load();
      try {
        usePartitionOf(command, () => connection().partition.value);
        ended((await run(invocation, ...(received.slice(0, -1) as never[]))) ?? exitStatus.done);
      } catch (error) {
        const shown = error instanceof ServerError ? inOptions(error, command) : error;
        reportError(shown, invocation.terminal, (text) => invocation.hint(text));
        ended(exitStatus.failed);
      }
    });
  }
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((inner) => inner.commands),
  ]) {
    prepare(command, terminal);
  }
  return program;
}

/** The API names its fields, and the caller has given options. */
function inOptions({ problem }: ServerError, command: Command): ServerError {
  const { errors, detail } = problem;
  if (errors === undefined) return new ServerError(problem);
  return new ServerError({
    ...problem,
    ...(detail !== undefined && { detail: withOptions(command, detail) }),
    errors: errors.map(({ path, message, ...place }) => ({
      ...place,
      path: optionOf(command, path),
      message: withOptions(command, message),
    })),
  });
}

/** The partition of the environment or of a context, where no partition was named. Commander would read only the process's environment. */
function usePartitionOf(command: Command, partition: () => string): void {
  if (command.getOptionValueSource('partition') !== 'default') return;
  command.setOptionValueWithSource('partition', partition().toLowerCase(), 'env');
}

/** The options of a call. A command with a `--context` of its own, of a kubeconfig, gets the one of the program, which takes every one. */
function optionsOf(command: Command): GeneralOptions & { partition?: string } {
  const { context, partition, ...options } = command.optsWithGlobals();
  const hasOwn = command.options.some(({ long }) => long === '--context');
  if (hasOwn && context !== undefined) command.setOptionValueWithSource('context', context, 'cli');
  const named = command.getOptionValueSource('partition') === 'cli';
  return {
    ...(options as GeneralOptions),
    ...(!hasOwn && context !== undefined && { context }),
    ...(named && { partition }),
  };
}

/** The result, or the error once the result is needed. */
async function settled<T>(work: Promise<T>): Promise<() => T> {
  const [result] = await Promise.allSettled([work]);
  return () => {
    if (result.status === 'fulfilled') return result.value;
    throw result.reason;
  };
}

/** Commander passes these on only to commands that it creates itself, before they are set. */
function prepare(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 30 })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
      getErrHelpWidth: () => terminal.stderr.columns ?? 100,
    });
}
