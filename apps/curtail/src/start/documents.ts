import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { stringify } from 'yaml';
import { callsFor, type Purpose, rolesFor } from '#agents/kubernetes';
import { webhookMessage } from '#contracts/api';
import { asyncApi, eventSchemas, inboundSchemas } from '#contracts/events';
import {
  aboutSetting,
  acceptedText,
  answerSchemaOf,
  builtInRoles,
  commandRights,
  createLogger,
  openApiText,
  platformModule,
  type RouteRights,
  readSettings,
  rights,
  routes,
  type Setting,
  type SettingsSchema,
  Shutdown,
  secretFileOf,
  topicRights,
  variablesOf,
} from '#platform';
import { programVersion } from '#platform/version';
import {
  appsModule,
  curtailSettingGroups,
  curtailSettings,
  type Program,
  type Runtime,
  settingsFile,
} from '#runtime';
import { agentProgram } from '../../../agent/src/agent-program.js';
import { agentSettings } from '../../../agent/src/settings/agent-settings.js';
import { configIngestProgram } from '../../../config-ingest/src/config-ingest.app.js';
import { consoleProgram } from '../../../console/src/console.app.js';
import { executorProgram } from '../../../executor/src/executor.app.js';
import { plannerProgram } from '../../../planner/src/planner.app.js';
import { timerProgram } from '../../../timer/src/timer.app.js';
import { allApps } from './run-all-in-one.js';

@Module({})
class DescribedModule {}

/**
 * The generated files, by path. The application is only described (Nest's preview mode): nothing connects, nothing runs.
 */
export async function documents(): Promise<Record<string, string>> {
  const settings = readSettings(curtailSettings, { CURTAIL_LOG_LEVEL: 'silent' });
  const log = createLogger(settings);
  const nothing = { database: {}, bus: {}, wakeUpQueue: {}, databaseUrl: '' } as unknown as Runtime;
  const imports = [
    platformModule(settings, log, new Shutdown({ log, deadlineSeconds: 1 })),
    appsModule(nothing, allApps(settings), settings),
  ];
  const app = await NestFactory.create(
    { module: DescribedModule, imports },
    { preview: true, logger: false, abortOnError: false },
  );
  const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;
  return {
    'docs/reference/asyncapi.json': json(asyncApi(programVersion())),
    'docs/reference/inbound.schema.json': json(inboundSchemas()),
    'docs/reference/openapi.json': openApiText(app),
    'docs/reference/events.schema.json': json(eventSchemas()),
    'docs/reference/webhook.schema.json': json({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...answerSchemaOf(webhookMessage),
    }),
    'docs/reference/settings.md': settingsDocument(),
    'docs/reference/kubernetes-rights.md': rightsDocument(),
    'docs/reference/rights.md': tableOfRights(),
    'deploy/helm/curtail/files/agent-rules.yaml': rulesOfChart(),
  };
}

/** docs/reference/rights.md: roles, rights, and what each route, command and topic needs. */
function tableOfRights(): string {
  const roles = Object.entries(builtInRoles).map(
    ([role, own]) =>
      `| \`${role}\` | ${own.length === Object.keys(rights).length ? 'all' : own.map((right) => `\`${right}\``).join(', ')} |`,
  );
  const needed = ({ rights: of, dryRun }: RouteRights) => {
    const words =
      of === 'open'
        ? 'nothing'
        : of.length === 0
          ? 'a credential'
          : of.map((one) => `\`${one}\``).join(' or ');
    return dryRun === undefined ? words : `${words}; a dry run \`${dryRun}\``;
  };
  return [
    '# Rights\n',
    'Generated from the code by `npm run docs`. [Give people rights](../how-to/identities.md) tells how to grant them. A route that is not in the table lets nobody in.\n',
    '| right | what it permits |\n| --- | --- |',
    ...Object.entries(rights).map(([right, what]) => `| \`${right}\` | ${what} |`),
    '\n| role | rights |\n| --- | --- |',
    ...roles,
    '\n## Routes\n',
    '| route | needs | where |\n| --- | --- | --- |',
    ...Object.entries(routes).map(
      ([route, entry]) => `| \`${route}\` | ${needed(entry)} | ${placeWords[entry.place]} |`,
    ),
    '\n## Commands\n',
    '| command | needs |\n| --- | --- |',
    ...Object.entries(commandRights).map(
      ([command, of]) =>
        `| \`curtail ${command}\` | ${of.map((one) => `\`${one}\``).join(' or ') || 'no right'} |`,
    ),
    '\n## Topics\n',
    '| topic | right |\n| --- | --- |',
    ...Object.entries(topicRights).map(
      ([topic, right]) =>
        `| \`${topic}\` | \`${right}\`: the brokers decide who may write ([Kafka](../how-to/kafka.md)) |`,
    ),
    '',
  ].join('\n');
}

const placeWords: Record<RouteRights['place'], string> = {
  none: 'anywhere',
  all: 'everywhere',
  path: 'the partition, or the queue, of the path',
  partition: 'the partition, or the queue, of the request; by default `default`',
  partitions: 'the partition of the request; without one everywhere',
  run: 'the queue of the run',
  allocation: 'the queue of the allocation; its owner may read it, too',
  list: 'the queue of the request; without one the list is narrowed to the queues of the caller',
  touched: 'somewhere in the partition',
  items: 'anywhere; items of other queues are left out',
  shown: 'the queue of what is shown',
  inside: 'anywhere; other queues are left out, or refused',
};

const flow = { flowCollectionPadding: true, lineWidth: 0 };
const purposes: readonly [Purpose, string][] = [
  ['observe', 'to know the cluster'],
  ['namespaces', 'where queues are namespaces'],
  ['yunikorn', 'where queues come from YuniKorn'],
  ['enforce', 'to evict, and to notify owners; not needed to observe'],
  ['lease', 'to elect a leader among agents'],
];

/** deploy/helm/curtail/files/agent-rules.yaml: the rights that the chart's roles grant. */
export function rulesOfChart(): string {
  const head = '# Made from the calls that the agent makes by `npm run docs`: do not edit.\n';
  return (
    head + stringify(Object.fromEntries(purposes.map(([purpose]) => [purpose, rolesFor([purpose])])), flow)
  );
}

/** docs/reference/kubernetes-rights.md: the rights of an agent in a cluster, and their reasons. */
export function rightsDocument(): string {
  const sections = purposes.map(([purpose, why]) => {
    const rows = callsFor([purpose]).map(
      (rule) =>
        `| \`${rule.group === '' ? 'core' : rule.group}\` | \`${rule.resource}\` | ${rule.verbs.join(', ')} | ${placeOf(rule.scope)} | ${rule.why} |`,
    );
    return `### ${purpose}: ${why}\n\n| group | resource | verbs | where | for |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return [head, ...sections].join('\n');
}

const head = `# Rights of the agent in a Kubernetes cluster

Generated from the code by \`npm run docs\`. The agent makes only these calls, and its client refuses any other. At startup it
checks its right to each of them (SelfSubjectAccessReview), and reports the missing rights with a manifest that grants all that its mode needs. \`curtail doctor --manifest\` prints it, for observing;
with \`--enforce\` for evicting, and with \`--queues yunikorn\` for YuniKorn. Every authenticated user may read \`/version\` and check their own rights.
`;

const placeOf = (scope: 'agent' | 'scheduler' | undefined): string =>
  scope === undefined
    ? 'everywhere'
    : scope === 'agent'
      ? 'the namespace of the agent'
      : 'the namespace of YuniKorn';

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
  const { General, ...others } = curtailSettingGroups;
  const groups = {
    General: { ...settingsFile, ...General },
    ...others,
    'The console in a process of its own': withoutListed(consoleProgram.settings, others),
    'The agent': agentSettings,
  };
  const sections = Object.entries(groups).map(([title, settings]) => {
    const rows = variablesOf(settings).map((setting) => rowOf(title, setting, settings));
    return `## ${title}\n\n${table(['setting', 'of', 'meaning', 'accepts'], rows)}\n`;
  });
  const ports = [...programs, agentProgram].map(({ name, port }) => [name, String(port)]);
  return `${[settingsHead, `${table(['service', 'usual port'], ports)}\n`, ...sections].join('\n')}`;
}

/** The settings that stand in no other group. */
function withoutListed<S extends object>(settings: S, groups: object): Partial<S> {
  const listed = new Set(Object.values(groups).flatMap((group: object) => Object.keys(group)));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !listed.has(name))) as Partial<S>;
}

const settingsHead = `# Settings

Generated from the code by \`npm run docs\`. A setting is an environment variable, or a line \`NAME=value\` in the file that
\`CURTAIL_SETTINGS\` names. The environment overrides the file, and an empty value counts as unset. All settings are checked at
startup, and all that are wrong or missing are listed at once. A secret may be in a file, which the setting ending in \`_FILE\` names; it is read at
the start. \`--help\` of a service lists the settings that it uses. Numbers are whole.
`;

const whoOf: Record<string, string> = {
  Trial: 'one process',
  Kubernetes: 'agent, one process',
  YARN: 'agent, one process',
  YTsaurus: 'agent, one process',
  'The agent': 'agent',
};

function rowOf(group: string, setting: Setting<unknown>, settings: SettingsSchema): string[] {
  const { variable, help } = aboutSetting(setting);
  const of = programs.filter(({ settings }) =>
    variablesOf(settings).some((one) => aboutSetting(one).variable === variable),
  );
  const who = whoOf[group] ?? (of.length === 0 ? 'all' : of.map(({ name }) => name).join(', '));
  const file = secretFileOf(setting, settings);
  const names = file === undefined ? `\`${variable}\`` : `\`${variable}\`, \`${file}\``;
  return [names, who, help, shortened(acceptedText(setting))];
}

/** Without the words that nearly all have in common. */
const shortened = (accepted: string): string =>
  accepted.replace(/^(?:a whole number from (?=\d+ to )|a string of (?=\d)|one of )/, '');

function table(titles: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}
