import { nameOf, wholeNumber } from '../input/arguments.js';
import type { Register } from './command.js';
import { example, partitionOption } from './online.js';

/** `curtail links`: by which an owner reads why one allocation was evicted, without a token. docs/how-to/secure.md */
export const links: Register = (program, act) => {
  const links = program
    .command('links')
    .summary('make or revoke links for owners')
    .description(
      'Links by which the owner of an allocation reads why it was evicted or spared, without a token.',
    );
  example(
    links
      .command('make')
      .argument('<allocation>', 'the allocation', nameOf('allocation'))
      .summary('make a link for the owner of an allocation')
      .description('Makes a link to the explanation of one allocation. Anyone with the link can read it.')
      .addOption(partitionOption())
      .option('--days <number>', 'how long the link works; default: 7', wholeNumber(1, 30))
      .action(act(async () => (await import('../actions/links.js')).make)),
    'curtail links make train-17 --days 2',
  );
  example(
    links
      .command('revoke')
      .argument('<allocation>', 'the allocation', nameOf('allocation'))
      .summary('revoke all links for the owner of an allocation')
      .description('Revokes all existing links to the explanation of one allocation.')
      .addOption(partitionOption())
      .action(act(async () => (await import('../actions/links.js')).revoke)),
    'curtail links revoke train-17',
  );
};
