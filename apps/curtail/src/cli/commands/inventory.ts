import { example, partitionOption, type Register } from './command.js';

/** `curtail inventory`: clusters that are known by the reports of their schedulers. docs/reference/cli.md */
export const inventory: Register = (program, act) => {
  const inventory = program
    .command('inventory')
    .summary('inspect and repair the reports of schedulers')
    .description(
      'Clusters known from the reports of their schedulers: whether evictions rely on them, and the remedy if not.',
    );
  example(
    inventory
      .command('status', { isDefault: true })
      .summary('show the state of the reports, and problems with them')
      .description(
        'Shows for each partition whether plans and evictions rely on its reports, and if not, why, and the remedy.',
      )
      .option('--partition <name>', 'only this partition')
      .action(act(async () => (await import('../actions/inventory.js')).status)),
    'curtail inventory status',
    'curtail inventory status --partition gpu -o json',
  );
  example(
    inventory
      .command('accept')
      .summary('apply a held listing')
      .description(
        'Applies a listing that is held because it would remove many running allocations: those missing from it are removed.',
      )
      .addOption(partitionOption())
      .action(act(async () => (await import('../actions/inventory.js')).accept)),
    'curtail inventory accept',
  );
  example(
    inventory
      .command('reset')
      .summary('reset the sequences of a scheduler')
      .description(
        'Resets the sequences of a partition, so that reports with lower ones are accepted. Nothing is evicted there before the next complete listing.',
      )
      .addOption(partitionOption())
      .option('-y, --yes', 'do not ask for confirmation')
      .action(act(async () => (await import('../actions/inventory.js')).reset)),
    'curtail inventory reset --partition gpu --yes',
  );
};
