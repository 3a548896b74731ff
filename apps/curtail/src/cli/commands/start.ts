import { withClusterOptions, withPlaceOptions } from './cluster-options.js';
import type { Register } from './command.js';
import { example } from './online.js';

/** `curtail start`: everything in one process. docs/reference/cli.md */
export const start: Register = (program, act) => {
  const run = act(() => import('../actions/start.js'));
  const command = program
    .command('start')
    .summary('run Curtail, everything in one process')
    .description(
      'Runs Curtail, everything in one process: its database in a folder, the agent of its cluster, the HTTP API. Ctrl-C stops it.',
    );
  withPlaceOptions(command)
    .option(
      '--scenario <file>',
      'play a scenario (docs/reference/scenarios.md) and keep running; leaves the sample out',
    )
    .option('--no-sample', 'leave an empty cluster empty (CURTAIL_SAMPLE=no)');
  withClusterOptions(command)
    .helpOption(false)
    .option('-h, --help', 'display help for command, with every environment variable');
  example(command, 'curtail start --port 9090 --data /var/lib/curtail', 'curtail start --help');
  command.action(async (options: { help?: boolean }, ...rest) => {
    if (!options.help) return run(options, ...rest);
    // The settings load the service, which no other help needs.
    const { settingsHelp } = await import('../actions/settings-help.js');
    command.addHelpText('after', settingsHelp()).outputHelp();
  });
};
