import type { Register } from './command.js';

/** `curtail version`: the same as --version. docs/reference/cli.md */
export const version: Register = (program, act) => {
  program
    .command('version')
    .summary('show the version of this program')
    .description('Shows the version of this program; the same as --version.')
    .action(act(async () => (await import('../actions/version.js')).showing(program.version() ?? 'unknown')));
};
