import { firstOf } from '#contracts';
import { isLimitedToObserve, type ModeSettings, modeInForce } from '#enforcement';
import type { PartitionMode } from '#holds';
import { isWatchedKind } from '#runtime';

export interface Started {
  url: string;
  seeded: boolean;
  modes: ModesAtStart;
  cluster: string;
  /** What requests need: nothing, a credential of the settings, or the token that this start has made. */
  credential: 'open' | 'given' | { local: string; kept: boolean; file: string | undefined };
  /** The partition of a scenario to be played; it prints its own hints. */
  scenario?: { title: string; partition: string };
  /** Makes the commands and files of a text work as they are. */
  hint: (text: string) => string;
}

/** The server that the command line uses by default. */
const usualServer = 'http://127.0.0.1:8080';

/** The text printed once everything runs: the address, and commands to try. */
export function banner({
  url: listened,
  seeded,
  modes,
  cluster,
  credential,
  scenario,
  hint,
}: Started): string {
  const url = reachable(listened);
  const isLocal = typeof credential === 'object';
  const exports = [
    ...(url === usualServer ? [] : [`  export CURTAIL_SERVER=${url}`]),
    // The token of several people must not appear on a screen or in a log.
    ...(credential === 'given' ? ['  export CURTAIL_TOKEN=…  (that of this Curtail)'] : []),
    ...(isLocal && !credential.kept && credential.file !== undefined
      ? [`  export CURTAIL_TOKEN=$(cat ${shellWord(credential.file)})`]
      : []),
  ];
  const lines = [
    '',
    `Curtail is running at ${url}  (mode: ${modes.shown}, cluster: ${cluster})`,
    ...modes.sentences.map((sentence) => `  ${sentence}`),
    `  Page                      ${url}/ui/${isLocal ? `#token=${credential.local}` : ''}`,
    `  API and its description   ${url}/docs`,
    `  Metrics                   ${url}/metrics${credential === 'open' ? '' : '  (with a token)'}`,
    ...(credential === 'open'
      ? ['  Nobody needs a token (CURTAIL_AUTH=none): every account of this machine may have work evicted.']
      : []),
    ...(seeded ? [hint('  A sample cluster is loaded, with the quotas of examples/queues.yaml.')] : []),
    ...(scenario ? [`  The scenario of partition ${scenario.partition} is played: ${scenario.title}.`] : []),
    '',
    ...(scenario
      ? elsewhere(exports)
      : commandsToTry(exports, isWatchedKind(cluster) ? onReal : onSample, hint)),
    ...(scenario || !isWatchedKind(cluster) || modes.next === undefined ? [] : [hint(modes.next), '']),
    'Ctrl-C stops it; unfinished work resumes at the next start.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** A word as a shell reads it. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** A scenario prints commands itself. */
function elsewhere(exports: readonly string[]): string[] {
  return exports.length === 0 ? [] : ['For the commands below, in another terminal:', ...exports, ''];
}

/** A command to try, and what it shows. */
type Try = readonly [command: string, shows: string];

const onSample: readonly Try[] = [
  ['curtail get queues', 'what is used, and the quotas'],
  ['curtail apply -f examples/queues-lowered.yaml --dry-run', 'the effects of a lower quota'],
  ['curtail apply -f examples/queues-lowered.yaml', 'lower it'],
  ['curtail get timers --watch', 'the delay runs'],
  ['curtail get enforcements', 'its outcome'],
];

/** Quotas are lowered in the cluster. */
const onReal: readonly Try[] = [
  ['curtail doctor', 'whether rights, clocks and quotas are in order'],
  ['curtail get queues', 'what is used, and the quotas'],
  ['curtail get timers --watch', 'lower a quota in the cluster: its delay runs here'],
  ['curtail get enforcements', 'its outcome'],
];

function commandsToTry(exports: readonly string[], tries: readonly Try[], hint: Started['hint']): string[] {
  const called = tries.map(([command, shows]) => [hint(command), shows] as const);
  const width = Math.max(...called.map(([command]) => command.length));
  const lines = called.map(([command, shows]) => `  ${command.padEnd(width)}  ${shows}`);
  return ['Try, in another terminal:', ...exports, ...lines, ''];
}

/** A server on all addresses is reached by loopback; `0.0.0.0` cannot be called. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

const mostNamed = 5;

/** What a start says about modes. */
interface ModesAtStart {
  /** In the first line of the banner. */
  shown: string;
  /** Which partitions differ from that, and whether their modes count. */
  sentences: string[];
  /** How to evict; undefined: victims are evicted. */
  next: string | undefined;
}

/** The modes that count, as a start shows them: one line must not hide that a partition is enforced, or that its mode does not count. */
export function modesAtStart(stored: readonly PartitionMode[], settings: ModeSettings): ModesAtStart {
  const { mode } = modeInForce(null, settings);
  const others = stored.filter((one) => one.mode !== mode).map(({ partition }) => partition);
  const named = `${others.length === 1 ? 'partition' : 'partitions'} ${firstOf(others, mostNamed)}`;
  if (isLimitedToObserve(settings)) {
    const one = `The mode enforce of ${named} does not count: --mode observe (CURTAIL_MODE) overrides it, and nothing is evicted.`;
    return {
      shown: 'observe',
      sentences: others.length === 0 ? [] : [one],
      next: 'Nothing is evicted; start it without --mode observe to evict.',
    };
  }
  if (mode === 'observe') {
    return {
      shown: 'observe by default',
      sentences:
        others.length === 0 ? [] : [`Victims are evicted in ${named}: the mode enforce is set there.`],
      next:
        others.length === 0
          ? 'Nothing is evicted yet; to evict: curtail mode enforce, or start with --mode enforce.'
          : undefined,
    };
  }
  const one = `Nothing is evicted in ${named}: the mode observe is set there.`;
  return { shown: 'enforce', sentences: others.length === 0 ? [] : [one], next: undefined };
}
