import type { Register } from './command.js';
import { example, partitionOption } from './online.js';

/** `curtail inventory`: clusters that are known by the reports of their schedulers. docs/reference/cli.md */
export const inventory: Register = (program, act) => {
  const inventory = program
    .command('inventory')
    .summary('see and mend what schedulers report of their clusters')
    .description(
      'Clusters that are known by the reports of their schedulers: whether work is evicted by them, and what to do if not.',
    );
  example(
    inventory
      .command('status')
      .summary('show what is known, since when, and what is wrong with the reports')
      .description(
        'Shows for each partition whether plans are made and work is evicted by its reports, and if not, why and what to do.',
      )
      .option('--partition <name>', 'only this partition')
      .action(act(async () => (await import('../actions/inventory.js')).status)),
    'curtail inventory status',
    'curtail inventory status --partition gpu -o json',
  );
  example(
    inventory
      .command('accept')
      .summary('apply a listing that is held')
      .description(
        'Applies a listing that is held because it would remove many running allocations: what it lacks is gone.',
      )
      .addOption(partitionOption())
      .action(act(async () => (await import('../actions/inventory.js')).accept)),
    'curtail inventory accept',
  );
  example(
    inventory
      .command('reset')
      .summary('let a scheduler begin its sequence again')
      .description(
        'Forgets the sequences of a partition, so that reports with lower ones are taken. Nothing is evicted there before the next whole listing.',
      )
      .addOption(partitionOption())
      .option('-y, --yes', 'do not ask')
      .action(act(async () => (await import('../actions/inventory.js')).reset)),
    'curtail inventory reset --partition gpu --yes',
  );
};
