import { CommandError } from '../errors.js';
import type { Invocation } from '../invocation.js';
import { exitStatus } from '../terminal.js';
import type { Register } from './command.js';

interface QuantityOptions {
  resource: string;
  batch?: string;
}

/** `curtail quantity`: what a quantity is in base units. docs/reference/cli.md */
export const quantity: Register = (program, act) => {
  program
    .command('quantity')
    .argument('[text]', 'a quantity, such as 10, 500M or 20Gi')
    .summary('read a quantity')
    .description('Reads one quantity as configurations have it and gives it in base units.')
    .option('--resource <type>', 'the resource type; vcore counts in thousandths', 'memory')
    .option(
      '--batch <file>',
      'one {"resource", "text"} a line as JSON; one {"value"} or {"error"} a line comes out',
    )
    .allowUnknownOption()
    .addHelpText('after', '\nExample:\n  curtail quantity 20Gi\n  curtail quantity 500m --resource vcore')
    .action(act(quantityCommand));
};

async function quantityCommand(invocation: Invocation, text: string | undefined, options: QuantityOptions) {
  if ((text === undefined) === (options.batch === undefined)) {
    throw new CommandError('give either one quantity, or --batch FILE');
  }
  const { parseQuantity, readQuantityLine } = await import('@curtail/contracts');
  if (options.batch !== undefined) {
    const { runBatch } = await import('../batch.js');
    return runBatch(
      invocation,
      options.batch,
      (line) => `{"value":${readQuantityLine(line, options.resource)}}`,
    );
  }
  const value = parseQuantity(text, options.resource);
  const { print } = await import('../output/print.js');
  const { amountText } = await import('../output/amounts.js');
  // The digits alone unless a form was asked for: a script takes them as they are.
  const { format } = invocation;
  await print(invocation, {
    value: invocation.formatGiven ? { value } : value,
    table: () => [format === 'wide' ? `${value}  (${amountText(options.resource, value)})` : `${value}`],
    names: () => [`${value}`],
  });
  return exitStatus.done;
}
