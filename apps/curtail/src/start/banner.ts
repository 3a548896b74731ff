import type { ModesAtStart } from './modes-at-start.js';

export interface Started {
  url: string;
  seeded: boolean;
  modes: ModesAtStart;
  cluster: string;
  /** Every request needs a token. */
  guarded: boolean;
  /** The partition of a scenario to be played; it prints its own hints. */
  scenario?: { title: string; partition: string };
}

/** The server that the command line uses by default. */
const usualServer = 'http://127.0.0.1:8080';

/** The text printed once everything runs: the address, and commands to try. */
export function banner({ url: listened, seeded, modes, cluster, guarded, scenario }: Started): string {
  const url = reachable(listened);
  const exports = [
    ...(url === usualServer ? [] : [`  export CURTAIL_SERVER=${url}`]),
    // The token itself must not appear on a screen or in a log.
    ...(guarded ? ['  export CURTAIL_TOKEN=…  (that of this Curtail)'] : []),
  ];
  const lines = [
    '',
    `Curtail is running at ${url}  (mode: ${modes.shown}, cluster: ${cluster})`,
    ...modes.sentences.map((sentence) => `  ${sentence}`),
    `  Page                      ${url}/ui/`,
    `  API and its description   ${url}/docs`,
    `  Metrics                   ${url}/metrics`,
    ...(seeded ? ['  A sample cluster is loaded, with the quotas of examples/queues.yaml.'] : []),
    ...(scenario ? [`  The scenario of partition ${scenario.partition} is played: ${scenario.title}.`] : []),
    '',
    ...(scenario
      ? elsewhere(exports)
      : commandsToTry(exports, cluster === 'kubernetes' ? onKubernetes(modes) : onSample)),
    'Ctrl-C stops it; unfinished work resumes at the next start.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** A scenario prints commands itself. */
function elsewhere(exports: readonly string[]): string[] {
  return exports.length === 0 ? [] : ['For the commands below, in another terminal:', ...exports, ''];
}

const onSample = [
  '  npx curtail get queues                                       what is used, and the quotas',
  '  npx curtail apply -f examples/queues-lowered.yaml --dry-run  the effects of a lower quota',
  '  npx curtail apply -f examples/queues-lowered.yaml            lower it',
  '  npx curtail get timers --watch                               the delay runs',
  '  npx curtail get enforcements                                 its outcome',
];

/** Quotas are lowered in the cluster. */
function onKubernetes({ next }: ModesAtStart): string[] {
  return [
    '  npx curtail doctor              whether rights, clocks and quotas are in order',
    '  npx curtail get queues          what is used, and the quotas',
    '  npx curtail get timers --watch  lower a quota in the cluster: its delay runs here',
    '  npx curtail get enforcements    its outcome',
    ...(next === undefined ? [] : ['', next]),
  ];
}

function commandsToTry(exports: readonly string[], commands: readonly string[]): string[] {
  return ['Try, in another terminal:', ...exports, ...commands, ''];
}

/** A server on all addresses is reached by loopback; `0.0.0.0` cannot be called. */
export function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
