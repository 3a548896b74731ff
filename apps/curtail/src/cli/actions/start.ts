import { CurtailError } from '#contracts';
import { describeGroups, PostgresStartError, SettingsError } from '#platform';
import { curtailSettingGroups, settingsFile } from '#runtime';
import { writeLocalContext } from '../contexts/local-context.js';
import {
  type ClusterOptions,
  clusterOptionSettings,
  type OptionSetting,
  settingsRefused,
  withOptionSettings,
} from '../input/option-settings.js';
import type { Invocation } from '../invocation/invocation.js';
import { playScenario } from '../scenario/play-scenario.js';
import { readScenario } from '../scenario/read-scenario.js';
import { followUpCommands } from '../scenario/scenario-lines.js';
import { Client } from '../server/client.js';
import { CommandError, reportError } from '../terminal/errors.js';

interface StartOptions extends ClusterOptions {
  data?: string;
  host?: string;
  port?: string;
  socket?: string;
  sample: boolean;
  scenario?: string;
}

/** Everything in one process. Resolves when it runs; it stops with the process. */
export async function run(invocation: Invocation, options: StartOptions): Promise<undefined> {
  const { terminal } = invocation;
  // The token of a context is for commands alone: a service has its own.
  const { token } = invocation.options;
  const { startCurtail } = await import('../../start/start.js');
  const scenario =
    options.scenario === undefined ? undefined : await readScenario(options.scenario, terminal);
  // A service keeps running after its output is closed.
  terminal.stdout.removeAllListeners('error').on('error', () => {});
  const sample = options.sample && scenario === undefined;
  const given = optionSettings({ ...options, sample, token });
  const explained = (error: unknown) => asCommandError(error, given);
  const hint = (text: string) => invocation.hint(text);
  const { url, token: asked } = await startCurtail(withOptionSettings(terminal.env, given), {
    onFailure: (error) => reportError(explained(error), terminal, hint),
    hint,
    remember: (address, tokenFile) => remembers(invocation, address, tokenFile),
    ...(scenario && { scenario }),
  }).catch((error: unknown) => {
    throw explained(error);
  });
  if (scenario !== undefined) {
    // It keeps running, whatever the result of the scenario.
    const policy = await playScenario(invocation, new Client(url, asked), scenario).catch(
      (error: unknown) => {
        reportError(error, terminal, hint);
        return undefined;
      },
    );
    invocation.report('\nCurtail keeps running. To see more, run in another terminal:');
    for (const line of followUpCommands(scenario.partition, policy)) invocation.report(line);
  }
}

/** A user without a home folder can start, too: their commands need CURTAIL_TOKEN. */
function remembers({ terminal }: Invocation, url: string, tokenFile: string): boolean {
  try {
    writeLocalContext(terminal.env, url, tokenFile);
    return true;
  } catch (error) {
    if (!(error instanceof CurtailError)) throw error;
    terminal.stderr.write(`warning: ${error.message}; commands need CURTAIL_TOKEN\n`);
    return false;
  }
}

/** Options as settings. */
function optionSettings(options: StartOptions & { token: string | undefined }): OptionSetting[] {
  const { data, host, port, socket, sample, token } = options;
  return [
    { option: '--data', variable: 'CURTAIL_DATA', value: data },
    { option: '--host', variable: 'CURTAIL_HOST', value: host },
    { option: '--port', variable: 'CURTAIL_PORT', value: port },
    { option: '--socket', variable: 'CURTAIL_SOCKET', value: socket },
    { option: '--no-sample', variable: 'CURTAIL_SAMPLE', value: sample ? undefined : 'no' },
    ...clusterOptionSettings(options),
    { option: '--token', variable: 'CURTAIL_TOKEN', value: token },
  ];
}

/** Errors of several lines are printed as a list. */
function asCommandError(error: unknown, options: readonly OptionSetting[]): unknown {
  const next = 'see all settings: curtail start --help';
  if (error instanceof SettingsError) return settingsRefused(error, options, next);
  if (isUnusableTables(error)) return new CommandError(error.reason, { list: [error.remedy], next });
  if (!(error instanceof PostgresStartError)) return error;
  const { reason, remedy, logTail } = error;
  const log = logTail === '' ? [] : ["The server's last lines:", ...logTail.split('\n')];
  return new CommandError(reason, { list: [remedy, ...log], next });
}

/** Recognized by its code: the event store is loaded only to start. */
function isUnusableTables(error: unknown): error is CurtailError & { reason: string; remedy: string } {
  return error instanceof CurtailError && ['database-too-old', 'database-foreign'].includes(error.code);
}

/** Every environment variable of `curtail start`. */
export function settingsHelp(): string {
  const { General, ...others } = curtailSettingGroups;
  const groups = { General: { ...settingsFile, ...General }, ...others };
  return `\nEnvironment variables\n\n${describeGroups(groups)}`;
}
