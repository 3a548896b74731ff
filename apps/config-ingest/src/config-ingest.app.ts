import { InventoryReports } from '@curtail/clusters';
import { readSettings } from '@curtail/contracts';
import { appSettings, type Program, type ServiceApp, type SettingsOf, someOf } from '@curtail/platform';
import { ConfigIngestModule } from './config-ingest.module.js';
import { INGEST_SETTINGS } from './ingest-settings.js';
import { TakeSubmissions } from './take-submissions.js';

const settings = someOf(appSettings, 'policy');

export const configIngestApp = (set: SettingsOf<typeof settings>): ServiceApp => ({
  name: 'config ingest',
  module: {
    module: ConfigIngestModule,
    providers: [{ provide: INGEST_SETTINGS, useValue: { policy: readSettings(set.policy) } }],
  },
  submissionConsumers: [TakeSubmissions],
  inventoryConsumers: [InventoryReports],
});

export const configIngestProgram: Program<typeof settings> = {
  name: 'config ingest',
  port: 8081,
  settings,
  app: configIngestApp,
};
