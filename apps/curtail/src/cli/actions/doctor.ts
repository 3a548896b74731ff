import { applyCommand } from '@curtail/agents/kubernetes';
import { readSettings, SettingsError } from '@curtail/platform';
import { kafkaSettings, kubernetesSettings } from '@curtail/runtime';
import { agentSettings } from '../../../../agent/src/agent-settings.js';
import type { Check } from '../../../../agent/src/doctor/check.js';
import { examine, manifestOf } from '../../../../agent/src/doctor/doctor.js';
import { type OptionSetting, optionWords, settingsRefused, withOptions } from '../input/option-settings.js';
import type { Invocation } from '../invocation/invocation.js';
import { print, write } from '../output/print.js';
import { wrapped } from '../output/wrapped.js';
import { printable } from '../terminal/printable.js';
import type { Tone } from '../terminal/style.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

const tones: Record<Check['status'], Tone> = { ok: 'good', note: 'doubtful', problem: 'bad' };

export async function run(
  invocation: Invocation,
  {
    kubeconfig,
    context,
    enforce,
    manifest,
  }: { kubeconfig?: string; context?: string; enforce?: boolean; manifest?: boolean },
): Promise<ExitStatus> {
  const { server, token, terminal } = invocation;
  const options: OptionSetting[] = [
    { option: '--kubeconfig', variable: 'CURTAIL_KUBECONFIG', value: kubeconfig },
    { option: '--context', variable: 'CURTAIL_KUBERNETES_CONTEXT', value: context },
  ];
  const env = withOptions({ ...terminal.env, ...(enforce && { CURTAIL_MODE: 'enforce' }) }, options);
  let checks: Check[];
  try {
    const schema = { ...kubernetesSettings, ...kafkaSettings, ...agentSettings };
    const settings = readSettings(schema, env, env.CURTAIL_SETTINGS);
    if (manifest) {
      // For kubectl: as it is in every output format.
      await write(invocation, await manifestOf({ settings }));
      return exitStatus.done;
    }
    checks = await examine({ settings, server, token, clusterOptions: optionWords(options) });
  } catch (error) {
    throw error instanceof SettingsError ? settingsRefused(error, options) : error;
  }
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
