import { aboutSetting, acceptedText, type Setting } from '#platform';
import { curtailSettingGroups, type Program, settingsFile } from '#runtime';
import { agentProgram } from '../../../agent/src/agent-program.js';
import { agentSettings } from '../../../agent/src/agent-settings.js';
import { configIngestProgram } from '../../../config-ingest/src/config-ingest.app.js';
import { consoleProgram } from '../../../console/src/console.app.js';
import { executorProgram } from '../../../executor/src/executor.app.js';
import { plannerProgram } from '../../../planner/src/planner.app.js';
import { timerProgram } from '../../../timer/src/timer.app.js';

type AnyProgram = Pick<Program<Record<string, Setting<unknown>>>, 'name' | 'port' | 'settings'>;
const programs: AnyProgram[] = [
  configIngestProgram,
  timerProgram,
  plannerProgram,
  executorProgram,
  consoleProgram,
];

/** docs/reference/settings.md: every setting, and the services that use it. */
export function settingsDocument(): string {
  const { General, Work, Redis, ...others } = curtailSettingGroups;
  const groups = {
    General: { ...settingsFile, ...General },
    ...others,
    Redis,
    Work: { ...Work, ...withoutListed(consoleProgram.settings, others) },
    'The agent': agentSettings,
  };
  const sections = Object.entries(groups).map(([title, settings]) => {
    const rows = Object.values(settings).map((setting) => rowOf(title, setting));
    return `## ${title}\n\n${table(['setting', 'of', 'meaning', 'accepts'], rows)}\n`;
  });
  const ports = [...programs, agentProgram].map(({ name, port }) => [name, String(port)]);
  return `${[head, `${table(['service', 'usual port'], ports)}\n`, ...sections].join('\n')}`;
}

/** The settings that stand in no other group. */
function withoutListed<S extends object>(settings: S, groups: object): Partial<S> {
  const listed = new Set(Object.values(groups).flatMap((group: object) => Object.keys(group)));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !listed.has(name))) as Partial<S>;
}

const head = `# Settings

Generated from the code by \`npm run docs\`. A setting is an environment variable, or a line \`NAME=value\` in the file that
\`CURTAIL_SETTINGS\` names. The environment overrides the file, and an empty value counts as unset. All settings are checked at
startup, and all that are wrong or missing are listed at once. \`--help\` of a service lists the settings that it uses.
`;

const whoOf: Record<string, string> = {
  Trial: 'one process',
  Kubernetes: 'agent, one process',
  YARN: 'agent, one process',
  'The agent': 'agent',
};

function rowOf(group: string, setting: Setting<unknown>): string[] {
  const { variable, help } = aboutSetting(setting);
  const of = programs.filter(({ settings }) =>
    Object.values(settings).some((one) => aboutSetting(one).variable === variable),
  );
  const who = whoOf[group] ?? (of.length === 0 ? 'all' : of.map(({ name }) => name).join(', '));
  return [`\`${variable}\``, who, help, acceptedText(setting)];
}

function table(titles: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}
