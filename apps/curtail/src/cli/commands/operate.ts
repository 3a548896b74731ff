import { Argument, type Command, Option } from 'commander';
import { withQueue } from '../actions/one-queue.js';
import type { NamedStop } from '../actions/operate.js';
import { wholeNumberArgument } from '../input/arguments.js';
import { allowUnknownOption, example, partitionOption, queueOption, type Register } from './command.js';
import { queueArgument, queueWord, runMeaning, runWord, wordFor } from './words.js';

/** Commands on one run. docs/reference/cli.md */
export const cancel: Register = (program, act) =>
  withReason(
    program
      .command('cancel')
      .argument('<enforcement>', runMeaning, runWord('cancel'))
      .summary('cancel a run, pending or in progress')
      .description(
        'Cancels a run: a pending one never starts, and one in progress requests no further evictions.',
      )
      .addOption(partitionOption()),
    'curtail cancel e-99dr3sgdmmb0 --reason "maintenance tonight"',
    'curtail cancel root.research',
  ).action(act(async () => (await import('../actions/operate.js')).runCommand('cancel')));

export const approve: Register = (program, act) =>
  example(
    program
      .command('approve')
      .argument('[enforcement]', runMeaning, runWord('approve'))
      .summary('approve a run that waits because of its size or a ceiling, or all runs of a configuration')
      .description(
        'Approves a run that waits because of the number of its victims or a ceiling. Shows what it would do now, and asks first. If it ' +
          'waits for a ceiling of the partition, one approval covers all runs of the same configuration, and the effect of all of them is shown.',
      )
      .addOption(configurationOption())
      .addOption(partitionOption())
      .option('-y, --yes', 'do not ask for confirmation'),
    'curtail approve e-99dr3sgdmmb0',
    'curtail approve e-99dr3sgdmmb0 --yes',
    'curtail approve --configuration 12',
  ).action(act(() => import('../actions/approve.js')));

export const reject: Register = (program, act) =>
  withReason(
    program
      .command('reject')
      .argument('[enforcement]', runMeaning, runWord('reject'))
      .summary('reject a run that waits for an approval, or all runs of a configuration')
      .description(
        'Rejects a run that waits for approval; nothing is evicted. With --configuration, all its runs end, also those that evict, and ' +
          'those that are still to start evict nothing.',
      )
      .addOption(configurationOption())
      .addOption(partitionOption()),
    'curtail reject e-99dr3sgdmmb0 --reason "too many at once"',
    'curtail reject --configuration 12 --reason "wrong unit"',
  ).action(act(() => import('../actions/reject.js')));

/** A version of the configuration, in place of one run. */
const configurationOption = () =>
  new Option(
    '--configuration <version>',
    'all runs that this version causes (curtail get configurations)',
  ).argParser(wholeNumberArgument(1, 999_999_999));

/** The kill switch. docs/reference/cli.md */
export const stop: Register = (program, act) =>
  withReason(
    program
      .command('stop')
      .addArgument(queueArgument('stop', 'only this queue and all below it; default: the whole partition'))
      .summary('stop all evictions at once')
      .description(
        'Stops all evictions of a partition, or of a queue and all below it, between two evictions; holds until resume. It never asks.',
      )
      .addOption(partitionOption())
      .addOption(queueOption('only this queue and all below it'))
      .addOption(allowUnknownOption()),
    'curtail stop --reason "wrong quota"',
    'curtail stop root.research',
  ).action(act(async () => withQueue((await import('../actions/stop.js')).stop)));

export const resume: Register = (program, act) =>
  example(
    program
      .command('resume')
      .summary('resume evictions')
      .description('Clears the kill switch of a queue, or all switches of a partition.')
      .addArgument(
        new Argument(
          '[queue]',
          'only the switch of this queue, the same as --queue; or a stop as `curtail get stops -o name` prints it: stop/default/root.a',
        ).argParser(stopName),
      )
      .addOption(partitionOption())
      .addOption(queueOption('only the switch of this queue')),
    'curtail resume',
    'curtail resume root.research',
    'curtail resume stop/default/root.research',
  ).action(act(async () => (await import('../actions/operate.js')).resume));

/** `stop/default/root.a` as its partition and its queue, without a queue all stops of the partition; or a queue. */
function stopName(text: string): NamedStop {
  const [, partition, queue] = /^stop\/([^/]+)(?:\/(.+))?$/.exec(text.toLowerCase()) ?? [];
  if (partition === undefined) return { queue: queueWord('resume')(text) };
  return { partition, ...(queue !== undefined && { queue }) };
}

/** Whether a partition is enforced. docs/reference/cli.md */
export const mode: Register = (program, act) =>
  example(
    program
      .command('mode')
      .argument(
        '[mode]',
        'observe: plan, and evict nothing; enforce: evict. Default: show the mode',
        (text: string) => wordFor('mode', [], text).toLowerCase(),
      )
      .summary('set or show whether a partition is enforced or only observed')
      .description(
        'Sets how a partition is enforced from the next run on; observe also stops runs in progress.',
      )
      .addOption(partitionOption())
      .addOption(allowUnknownOption('also a partition that does not exist yet')),
    'curtail mode observe',
    'curtail mode',
  ).action(act(async () => (await import('../actions/operate.js')).mode));

function withReason(command: Command, ...lines: string[]): Command {
  return example(command.option('--reason <text>', 'the reason, recorded in the log'), ...lines);
}

/** `curtail enforce`: requests a run of a queue that is above its quota. docs/reference/cli.md */
export const enforce: Register = (program, act) => {
  example(
    program
      .command('enforce')
      .argument('<queue>', 'a queue above its quota', queueWord('enforce'))
      .summary('request a run of a queue that is above its quota')
      .description(
        'Starts the clock of a queue that is above its quota, for example after a run that was stopped, rejected or cancelled, or freed too ' +
          'little. Shows what the run would evict now, and asks first.',
      )
      .addOption(partitionOption())
      .option('--now', 'start at once, without the delay of the queue; brings a pending clock forward')
      .option('--reason <text>', 'the reason, recorded in the log')
      .option('-y, --yes', 'do not ask for confirmation')
      .action(act(() => import('../actions/enforce.js'))),
    'curtail enforce root.research',
    'curtail enforce root.research --now --reason "maintenance at noon"',
  );
};
