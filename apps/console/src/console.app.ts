import {
  address,
  archiveSettings,
  type Program,
  type ServiceApp,
  type SettingsOf,
  setting,
} from '@curtail/platform';
import { archiveModule } from './archive/archive.module.js';
import { ConsoleModule } from './console.module.js';
import { forwardModule } from './forward/forward.module.js';
import { FoldEvents } from './read-model/fold-events.js';
import { Replays } from './replay/replays.js';

/** @param settings.configIngest where another process takes configurations in; absent: this one does. */
export const consoleApp = (
  settings: SettingsOf<typeof archiveSettings> & { configIngest?: string },
): ServiceApp => ({
  name: 'console',
  module: {
    module: ConsoleModule,
    imports: [
      archiveModule({ folder: settings.archiveDir, afterDays: settings.archiveAfterDays }),
      ...(settings.configIngest === undefined ? [] : [forwardModule(settings.configIngest)]),
    ],
  },
  consumers: [FoldEvents],
  workers: [Replays],
  takesCommands: true,
});

const settings = {
  ...archiveSettings,
  configIngest: setting(
    'CURTAIL_CONFIG_INGEST',
    address(['http:', 'https:'], 'an address such as http://config-ingest:8081'),
    {
      default: 'http://127.0.0.1:8081',
      help: 'Where the config ingest answers; requests that are meant for it are passed on',
    },
  ),
};

export const consoleProgram: Program<typeof settings> = {
  name: 'console',
  port: 8080,
  settings,
  app: consoleApp,
};
