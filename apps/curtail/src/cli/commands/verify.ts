import { type Command } from 'commander';
import { example, type Register } from './command.js';

/** The options of `curtail verify` and its alias `curtail log verify`. */
export const verifyOptions = (command: Command): Command =>
  command
    .option('--archive <folder>', 'also compare the files of this archive')
    .option('--offline', 'compare the archive alone, with the chains in its files; needs no service')
    .option('--checkpoints <file>', 'also compare the chains with the signed checkpoints in this file')
    .option('--key <file>', 'the public key of the checkpoints, as JSON Web Key or in PEM');

/** `curtail verify`: compares the log with its hash chains. docs/how-to/verify.md */
export const verify: Register = (program, act) => {
  example(
    verifyOptions(
      program
        .command('verify')
        .summary('check that no event of the log was changed, removed, added or moved')
        .description(
          'Compares each event of the log with the hash chain of its partition, and names each one that was changed, removed, added or moved: exit status 1. Events that were recorded in the last seconds are not in a chain yet.',
        ),
    ).action(act(async () => (await import('../actions/verify.js')).verify)),
    'curtail verify',
    'curtail verify --archive /var/lib/curtail/archive',
    'curtail verify --archive /mnt/archive --offline --checkpoints checkpoints.jsonl --key signing.pub.pem',
  );
};
