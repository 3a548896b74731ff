import { InventoryReports } from '#clusters';
import type { SettingsOf } from '#platform';
import type { Program, ServiceApp } from '#runtime';
import { ConfigIngestModule } from './config-ingest.module.js';
import { historyTrims } from './history/configuration-history.js';
import { INGEST_SETTINGS, ingestSchema, ingestSettings } from './settings/ingest-settings.js';
import { TakeSubmissions } from './submit/take-submissions.js';

export const configIngestApp = (set: SettingsOf<typeof ingestSchema>): ServiceApp => ({
  name: 'config ingest',
  module: {
    module: ConfigIngestModule,
    providers: [
      {
        provide: INGEST_SETTINGS,
        useValue: ingestSettings(set),
      },
    ],
  },
  submissionConsumers: [TakeSubmissions],
  inventoryConsumers: [InventoryReports],
  trims: historyTrims,
});

export const configIngestProgram: Program<typeof ingestSchema> = {
  name: 'config ingest',
  port: 8081,
  settings: ingestSchema,
  app: configIngestApp,
};
