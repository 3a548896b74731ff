import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { stringify } from 'yaml';
import { callsFor, type Purpose, rolesFor } from '#agents/kubernetes';
import { webhookMessage } from '#contracts/api';
import {
  aboutSetting,
  acceptedText,
  answerSchemaOf,
  builtInRoles,
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
import { agentProgram } from '../../apps/agent/src/agent-program.js';
import { agentSettings } from '../../apps/agent/src/settings/agent-settings.js';
import { configIngestProgram } from '../../apps/config-ingest/src/config-ingest.app.js';
import { consoleProgram } from '../../apps/console/src/console.app.js';
import { allApps } from '../../apps/curtail/src/start/run-all-in-one.js';
import { executorProgram } from '../../apps/executor/src/executor.app.js';
import { plannerProgram } from '../../apps/planner/src/planner.app.js';
import { timerProgram } from '../../apps/timer/src/timer.app.js';
import { asyncApi } from './asyncapi/document.js';
import { commandRights, topicRights } from './described-rights.js';
import { eventSchemas, inboundSchemas } from './event-schemas.js';

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
  const code = (words: readonly string[]) => words.map((word) => `\`${word}\``);
  const roles = Object.entries(builtInRoles).map(
    ([role, own]) =>
      `- \`${role}\`: ${own.length === Object.keys(rights).length ? 'all' : code(own).join(', ')}`,
  );
  const needed = ({ rights: of, dryRun }: RouteRights) => {
    if (of === 'open') return 'Nothing';
    const words = of.length === 0 ? 'A credential' : code(of).join(' or ');
    return dryRun === undefined ? words : `${words}; a dry run \`${dryRun}\``;
  };
  const routesByRight = grouped(Object.entries(routes), ([, entry]) => needed(entry)).map(
    ([needs, of]) =>
      `### ${needs}\n\n${grouped(of, ([, { place }]) => placeWords[place])
        .map(([place, some]) => `- ${place}: ${code(some.map(([route]) => withoutGet(route))).join(', ')}`)
        .join('\n')}\n`,
  );
  const commandsByRight = grouped(Object.entries(commandRights), ([, of]) => code(of).join(' or ')).map(
    ([needs, of]) => `- ${needs || 'no right'}: ${code(of.map(([command]) => command)).join(', ')}`,
  );
  return [
    '# Rights\n',
    'Generated from the code by `npm run docs`. [Give people rights](../how-to/identities.md) tells how to grant them.\n',
    ...Object.entries(rights).map(([right, what]) => `- \`${right}\`: ${what}`),
    '\n## Roles\n',
    ...roles,
    '\n## Routes\n',
    'By the right that the caller needs, and the place where the caller must hold it. The method is GET where none is named. Every other route is refused.\n',
    ...routesByRight,
    '## Commands\n',
    ...commandsByRight,
    '\n## Topics\n',
    'The [brokers](../how-to/kafka.md) decide who may write to them.\n',
    ...Object.entries(topicRights).map(([topic, right]) => `- \`${topic}\`: \`${right}\``),
    '',
  ].join('\n');
}

/** The items by what `by` says of them, in the order in which each first occurs. */
function grouped<T>(items: readonly T[], by: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(by(item), [...(groups.get(by(item)) ?? []), item]);
  return [...groups];
}

/** Without the method that most routes have. */
function withoutGet(route: string): string {
  const [method, path = ''] = route.split(' ');
  return method === 'GET' ? path : route;
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
        `- \`${rule.resource}\` of \`${rule.group === '' ? 'core' : rule.group}\`${placeOf(rule.scope)}, ${rule.verbs.join(', ')}: ${rule.why}`,
    );
    return `### ${purpose}: ${why}\n\n${rows.join('\n')}\n`;
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
    ? ''
    : scope === 'agent'
      ? ' in the namespace of the agent'
      : ' in the namespace of YuniKorn';

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
  // CURTAIL_MODE stands among the modes.
  const { mode, ...ofAgents } = agentSettings;
  const groups = {
    General: { ...settingsFile, ...General },
    ...others,
    'The console in a process of its own': withoutListed(consoleProgram.settings, others),
    'The agent': ofAgents,
  };
  const sections = Object.entries(groups).map(([title, settings]) => {
    const users = variablesOf(settings).map((setting) => usersOf(title, setting));
    const [same, ...different] = new Set(users);
    const rows = variablesOf(settings).map((setting, at) =>
      entryOf(setting, settings, different.length === 0 ? '' : ` (${users[at]})`),
    );
    return `## ${title}\n\n${different.length === 0 ? `Of ${same}.\n\n` : ''}${rows.join('\n')}\n`;
  });
  const ports = [...programs, agentProgram].map(({ name, port }) => `${name} ${port}`);
  return [settingsHead, `Usual ports: ${ports.join(', ')}.\n`, ...sections].join('\n');
}

/** The settings that stand in no other group. */
function withoutListed<S extends object>(settings: S, groups: object): Partial<S> {
  const listed = new Set(Object.values(groups).flatMap((group: object) => Object.keys(group)));
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !listed.has(name))) as Partial<S>;
}

const settingsHead = `# Settings

Generated from the code by \`npm run docs\`. A setting is an environment variable, or a line \`NAME=value\` in the file that
\`CURTAIL_SETTINGS\` names. The environment overrides the file, and an empty value counts as unset. All settings are checked at
startup, and all that are wrong, missing or misspelt are listed at once; a warning names variables \`CURTAIL_…\` that are no settings. A secret may be in a file, which the setting ending in \`_FILE\` names; it is read at
the start. \`--help\` of a service lists the settings that it uses. Numbers are whole. What has no
default may be unset.
`;

const whoOf: Record<string, string> = {
  Trial: 'one process',
  Kubernetes: 'agent, one process',
  YARN: 'agent, one process',
  YTsaurus: 'agent, one process',
  'The agent': 'agent',
};

/** The programs that read a setting. */
function usersOf(group: string, setting: Setting<unknown>): string {
  const { variable } = aboutSetting(setting);
  const of = programs.filter(({ settings }) =>
    variablesOf(settings).some((one) => aboutSetting(one).variable === variable),
  );
  return whoOf[group] ?? (of.length === 0 ? 'all' : of.map(({ name }) => name).join(', '));
}

function entryOf(setting: Setting<unknown>, settings: SettingsSchema, of: string): string {
  const { variable, help } = aboutSetting(setting);
  const file = secretFileOf(setting, settings);
  const names = file === undefined ? `\`${variable}\`` : `\`${variable}\`, \`${file}\``;
  const accepted = shortened(acceptedText(setting));
  return `- ${names}${of}: ${help}${accepted === '' ? '' : `; ${accepted}`}`;
}

/** Words that nearly all have in common, and the length of a text that may be as short as wanted. */
const unsaid = [
  /^(?:a whole number from (?=\d+ to )|a string of (?=\d)|one of )/,
  /^1 to \d+ characters(?:; )?/,
  /(?:^|; )optional$/,
  // The help says which file it is.
  /^the path of [^;:]*$/,
];

const shortened = (accepted: string): string =>
  unsaid.reduce((text, words) => text.replace(words, ''), accepted);
