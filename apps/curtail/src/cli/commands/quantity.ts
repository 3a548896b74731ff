import type { Register } from './command.js';

/** `curtail quantity`: a quantity in base units. docs/reference/cli.md */
export const quantity: Register = (program, act) => {
  program
    .command('quantity')
    .argument('[text]', 'a quantity, such as 10, 500M or 20Gi')
    .summary('read a quantity')
    .description('Reads one quantity as configurations have it and gives it in base units.')
    .option('--resource <type>', 'the resource type; vcore counts in thousandths', 'memory')
    .option(
      '--batch <file>',
      'one {"resource", "text"} as JSON per line; prints one {"value"} or {"error"} per line',
    )
    .allowUnknownOption()
    .addHelpText('after', '\nExample:\n  curtail quantity 20Gi\n  curtail quantity 500m --resource vcore')
    .action(act(() => import('../actions/quantity.js')));
};
