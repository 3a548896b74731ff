import { Option } from 'commander';
import { instantArgument, lengths, settingPair } from '../input/arguments.js';
import { example, type Register } from './command.js';

const from = (what: string) =>
  new Option('--from <time>', `${what} from this time on, or this long ago: ${lengths}`).argParser(
    instantArgument,
  );
const to = (what: string) => new Option('--to <time>', `${what} before this time`).argParser(instantArgument);
const restart = () => new Option('--restart', 'from the beginning, not where an unfinished one stopped');

/** `curtail replay`: reads the log again. docs/reference/cli.md */
export const replay: Register = (program, act) => {
  const command = program
    .command('replay')
    .summary('read the log again: rebuild the read model, or recompute its plans')
    .description(
      'Reads the log again, while everything runs. Never evicts. digest: recomputes every recorded plan from its recorded input and compares the digests; projections: rebuilds what the queries show; shadow: recomputes every plan with other settings.',
    )
    .addOption(
      new Option('--into <what>', 'what the log is read into')
        .choices(['digest', 'projections', 'shadow'])
        .default('digest'),
    )
    .option('--archive <folder>', 'digest: the plans of archived months in these files; needs no service')
    .addOption(from('plans recorded'))
    .addOption(to('plans recorded'))
    .option('--settings <file>', 'shadow: settings of the policy as JSON, laid over those recorded')
    .option('--set <name=value>', 'shadow: one setting; may be repeated', settingPair)
    .addOption(restart())
    .option('--stop <replay>', 'stop a running replay; starting it again resumes it')
    .action(act(() => import('../actions/replay.js')));
  example(
    command,
    'curtail replay --into digest --from 2h',
    'curtail replay --into projections',
    'curtail replay --into shadow --set fit=within --set miss=5',
  );
};

/** `curtail republish`: events for consumers that lost them. docs/reference/cli.md */
export const republish: Register = (program, act) => {
  const command = program
    .command('republish')
    .summary('publish recorded events to Kafka again')
    .description(
      "Publishes recorded events of a topic to Kafka again, marked as replayed, for consumers that lost them. Curtail's own services ignore them.",
    )
    .requiredOption('--topic <topic>', 'curtail.quota, curtail.enforcement, curtail.plans, …')
    .addOption(from('events'))
    .addOption(to('events'))
    .option('--dry-run', 'only count the events')
    .addOption(restart())
    .action(act(() => import('../actions/republish.js')));
  example(
    command,
    'curtail republish --topic curtail.evictions --from 2026-11-21T10:00:00Z --to 2026-11-21T11:00:00Z --dry-run',
    'curtail republish --topic curtail.evictions --from 2h',
  );
};
