import { Argument } from 'commander';
import type { Register } from './command.js';
import { example, partitionOption } from './online.js';

/** `curtail explain`: why. docs/reference/cli.md */
export const explain: Register = (program, act) => {
  const command = program
    .command('explain')
    .addArgument(new Argument('<what>', 'what to explain').choices(['enforcement', 'allocation', 'queue']))
    .argument('<name>', 'the id of an enforcement or allocation, or the path of a queue')
    .summary('say why: the rule and the numbers behind each victim and each spared one')
    .description(
      'Says why a run evicted whom it evicted and spared the others, why an allocation was chosen or left alone, or what happened to the clock of a queue.',
    )
    .addOption(partitionOption())
    .action(act(() => import('../actions/explain.js')));
  example(
    command,
    'curtail explain enforcement e-99dr3sgdmmb0',
    'curtail explain allocation sweep-gpu-2',
    'curtail explain queue root.research',
  );
};
