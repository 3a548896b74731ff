import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { address, type GeneralSettings, pickSettings, type SettingsOf, setting } from '#platform';
import {
  appSettings,
  archiveSettings,
  assertCheckpoints,
  checkpointSettings,
  type KafkaSettings,
  type Program,
  type Retention,
  type ServiceApp,
  type Trim,
  trimmedAtOnce,
  upTo,
  webhookOf,
  webhookSettings,
} from '#runtime';
import { trimAnswers } from './answers/answer-rows.js';
import { archiveModule } from './archive/archive.module.js';
import { LayChain } from './chain/lay-chain.js';
import { CHECKPOINT_PLACE, type CheckpointPlace } from './chain/send-checkpoints.js';
import { ConsoleModule } from './console.module.js';
import { forwardModule } from './forward/forward.module.js';
import { MODE_SETTINGS } from './modes/modes.js';
import { AddMissingVictims } from './read-model/add-missing-victims.js';
import { trimNotices, trimRuns } from './read-model/trim.js';
import { REMAKE_LIMITS } from './replay/remake/remake-in-thread.js';
import { Replays } from './replay/replays.js';
import { trimReplays } from './replay/work/replay-rows.js';
import {
  INSTALLATION_SETTINGS,
  installationSchema,
  installationSettings,
} from './settings/effective-settings.js';
import { MeasureWaiting } from './waiting/measure-waiting.js';
import { WEBHOOK } from './webhook/announcements.js';
import { CallWebhook } from './webhook/call-webhook.js';
import { trimMessages } from './webhook/outbox.js';

/** Which rows of the console's tables to delete, and when. Open runs and running replays stay. */
export const consoleTrims = (kept: Retention): Trim[] => [
  { table: 'read_runs', step: (db) => trimRuns(db, kept.runRetentionDays) },
  upTo(trimmedAtOnce, 'read_notices', (db, limit) => trimNotices(db, kept.runRetentionDays, limit)),
  upTo(trimmedAtOnce, 'replays', (db, limit) => trimReplays(db, kept.runRetentionDays, limit)),
  upTo(trimmedAtOnce, 'webhook_messages', trimMessages),
  upTo(trimmedAtOnce, 'owner_answers', trimAnswers),
];

/** Built beside the program; not there when the sources run without a build. */
const builtPage = fileURLToPath(new URL('../page', import.meta.url));

const ownSettings = {
  ...archiveSettings,
  ...checkpointSettings,
  ...webhookSettings,
  ...pickSettings(appSettings, 'previewSeconds', 'previewMegabytes', 'mode', 'defaultMode'),
  ...installationSchema,
};

/** @param settings.configIngest address of the process that receives configurations; absent: this one receives them. */
export const consoleApp = (
  settings: SettingsOf<typeof ownSettings> &
    KafkaSettings &
    Pick<GeneralSettings, 'signingKey'> & { configIngest?: string },
): ServiceApp => {
  assertCheckpoints(settings);
  const checkpoints: CheckpointPlace = {
    file: settings.checkpointFile,
    topic: settings.checkpointTopic,
    everyMinutes: settings.checkpointMinutes,
    key: settings.signingKey,
  };
  const providers = [
    { provide: MODE_SETTINGS, useValue: { mode: settings.mode, defaultMode: settings.defaultMode } },
    { provide: CHECKPOINT_PLACE, useValue: checkpoints },
    { provide: WEBHOOK, useValue: webhookOf(settings) ?? null },
    { provide: INSTALLATION_SETTINGS, useValue: installationSettings(settings) },
    {
      provide: REMAKE_LIMITS,
      useValue: { previewSeconds: settings.previewSeconds, previewMegabytes: settings.previewMegabytes },
    },
  ];
  return {
    name: 'console',
    module: {
      module: ConsoleModule,
      // For its feature modules.
      global: true,
      providers,
      exports: providers.map(({ provide }) => provide),
      imports: [
        archiveModule({ folder: settings.archiveDir, afterDays: settings.archiveAfterDays }),
        ...(settings.configIngest === undefined ? [] : [forwardModule(settings.configIngest)]),
      ],
    },
    workers: [MeasureWaiting, AddMissingVictims, Replays, CallWebhook, LayChain],
    takesCommands: true,
    ...(existsSync(builtPage) && { page: builtPage }),
    trims: consoleTrims,
  };
};

const settings = {
  ...ownSettings,
  configIngest: setting(
    'CURTAIL_CONFIG_INGEST',
    address(['http:', 'https:'], 'an address such as http://config-ingest:8081'),
    {
      default: 'http://127.0.0.1:8081',
      help: 'Address of config-ingest; its requests are forwarded there',
    },
  ),
};

export const consoleProgram: Program<typeof settings> = {
  name: 'console',
  port: 8080,
  settings,
  app: consoleApp,
};
