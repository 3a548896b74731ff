import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { applyCommand } from '#agents/kubernetes';
import { readSettings, SettingsError } from '#platform';
import {
  isWatchedKind,
  kafkaSettings,
  kubernetesSettings,
  type WatchedKind,
  yarnSettings,
  ytsaurusSettings,
} from '#runtime';
import type { Check } from '../../../../agent/src/doctor/check.js';
import { type ExamineOptions, examine, manifestOf } from '../../../../agent/src/doctor/doctor.js';
import { examineYarn } from '../../../../agent/src/doctor/yarn-doctor.js';
import { examineYtsaurus } from '../../../../agent/src/doctor/ytsaurus-doctor.js';
import { agentSettings } from '../../../../agent/src/settings/agent-settings.js';
import {
  type ClusterOptions,
  clusterOptionSettings,
  kubectlSettings,
  type OptionSetting,
  optionWords,
  settingsRefused,
  withOptionSettings,
} from '../input/option-settings.js';
import type { Invocation } from '../invocation/invocation.js';
import { print, write } from '../output/print.js';
import { wrapped } from '../output/width.js';
import { CommandError } from '../terminal/errors.js';
import { printable, type Tone } from '../terminal/printable.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

interface DoctorOptions extends ClusterOptions {
  enforce?: boolean;
  manifest?: boolean;
  data?: string;
  host?: string;
  port?: string;
}

const tones: Record<Check['status'], Tone> = { ok: 'good', note: 'doubtful', problem: 'bad' };

export async function run(
  invocation: Invocation,
  { enforce, manifest, data, host, port, ...given }: DoctorOptions,
): Promise<ExitStatus> {
  const { token, terminal } = invocation;
  if (enforce && given.mode === 'observe') {
    throw new CommandError('--enforce and --mode observe contradict each other; give one of them');
  }
  const place: OptionSetting[] = [
    { option: '--data', variable: 'CURTAIL_DATA', value: data },
    { option: '--host', variable: 'CURTAIL_HOST', value: host },
    { option: '--port', variable: 'CURTAIL_PORT', value: port },
  ];
  const options = [...clusterOptionSettings(given), ...place];
  const env = withOptionSettings({ ...terminal.env, ...(enforce && { CURTAIL_MODE: 'enforce' }) }, options);
  const kind = kindOf(given.cluster, env);
  const doctor = doctors[kind];
  const isPlaceGiven = (host ?? port) !== undefined && invocation.options.server === undefined;
  try {
    const settings = readSettings(checkedSettings, env, env.CURTAIL_SETTINGS);
    if (manifest) {
      // For kubectl: as it is in every output format.
      await write(invocation, await doctor.manifest({ settings }));
      return exitStatus.done;
    }
    const checks = await doctor.checks({
      settings,
      server: isPlaceGiven ? addressOf(host, port) : invocation.server,
      token,
      kubectlOptions: optionWords(kubectlSettings(given)),
      // What `start` needs to be told of the cluster beside its kind.
      startOptions: ` --cluster ${kind}${optionWords(options.filter(({ option }) => option !== '--cluster'))}`,
    });
    return await report(invocation, [
      ...checks,
      ...(data === undefined ? [] : [await dataFolderCheck(data)]),
    ]);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const isChosen = (given.cluster ?? env.CURTAIL_CLUSTER ?? env.CURTAIL_AGENT_CLUSTER) === kind;
    const next = `name the cluster: curtail doctor${kind === usualKind ? '' : ` --cluster ${kind}`}${doctor.names}`;
    throw settingsRefused(error, options, isChosen ? next : unchosen);
  }
}

const checkedSettings = {
  ...kubernetesSettings,
  ...yarnSettings,
  ...ytsaurusSettings,
  ...kafkaSettings,
  ...agentSettings,
};

/** The checks of one kind of cluster. */
interface Doctor {
  /** Options that name the cluster. */
  names: string;
  checks(options: ExamineOptions): Promise<Check[]>;
  /** What grants every right, for kubectl. @throws CommandError where rights are granted otherwise. */
  manifest(options: Pick<ExamineOptions, 'settings'>): Promise<string>;
}

const doctors: Record<WatchedKind, Doctor> = {
  kubernetes: { names: ' --kubeconfig FILE --context NAME', checks: examine, manifest: manifestOf },
  yarn: {
    names: ' --yarn-url URL',
    checks: examineYarn,
    manifest: async () => {
      throw new CommandError('--manifest is for Kubernetes; YARN has its rights in yarn.admin.acl');
    },
  },
  ytsaurus: {
    names: ' --ytsaurus-url URL',
    checks: examineYtsaurus,
    manifest: async () => {
      throw new CommandError(
        '--manifest is for Kubernetes; YTsaurus has its rights in the ACLs of operations',
      );
    },
  },
};
const usualKind = 'kubernetes';
const unchosen =
  'doctor checks Kubernetes: name the cluster with curtail doctor --kubeconfig FILE --context NAME; a simulated cluster, the default of curtail start, needs no check';

/** @throws CommandError for a cluster of Curtail's own, or one that others report. */
function kindOf(given: string | undefined, env: Invocation['terminal']['env']): WatchedKind {
  if (given !== undefined && !isWatchedKind(given)) {
    throw new CommandError(
      `doctor checks Kubernetes, YARN and YTsaurus; a cluster that is ${given} has nothing to check`,
    );
  }
  const kinds = [given, env.CURTAIL_CLUSTER, env.CURTAIL_AGENT_CLUSTER];
  return kinds.find(isWatchedKind) ?? usualKind;
}

async function report(invocation: Invocation, checks: readonly Check[]): Promise<ExitStatus> {
  const problems = checks.filter(({ status }) => status === 'problem');
  await print(invocation, {
    value: { healthy: problems.length === 0, checks },
    table: () => [
      ...checks.flatMap((check) => linesOf(check, invocation)),
      // Not indented, so that it can be copied whole.
      ...checks.flatMap(({ manifest }) => (manifest ? ['', ...applyCommand(manifest).split('\n')] : [])),
    ],
    names: () => problems.map(({ name }) => `check/${name.replaceAll(' ', '-')}`),
  });
  return problems.length === 0 ? exitStatus.done : exitStatus.needsAttention;
}

/** Where `start` with these options answers. */
function addressOf(host = '127.0.0.1', port = '8080'): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a database can be made or used in a folder, which need not be there yet. */
async function dataFolderCheck(folder: string): Promise<Check> {
  const name = 'data folder';
  let there = resolve(folder);
  for (;;) {
    try {
      await access(there, constants.W_OK | constants.X_OK);
      return { name, status: 'ok', message: `${folder} can be written` };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const above = dirname(there);
      if (code === 'ENOENT' && above !== there) {
        there = above;
        continue;
      }
      const remedy = [`Give this user the right to write there, or choose another folder with --data.`];
      return { name, status: 'problem', message: `${folder} cannot be written: ${message}`, remedy };
    }
  }
}

const indent = ' '.repeat(9);

function linesOf({ name, status, message, remedy = [] }: Check, invocation: Invocation): string[] {
  const { style, width } = invocation;
  const [first = '', ...rest] = wrapped(
    printable(`${name}: ${message}`),
    Math.max(20, width - indent.length),
  );
  return [
    `${style(tones[status], status.padEnd(indent.length - 2))}  ${first}`,
    ...rest.map((line) => indent + line),
    // Commands stay on their lines, so that they can be copied.
    ...remedy.map((line) => `${indent}${invocation.hint(printable(line))}`),
  ];
}
