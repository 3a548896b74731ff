import { InventoryReports } from '#clusters';
import type { SettingsOf } from '#platform';
import type { ClusterSettings, Program, ServiceApp } from '#runtime';
import { ConfigIngestModule } from './config-ingest.module.js';
import { historyTrims } from './history/configuration-history.js';
import { INGEST_SETTINGS, ingestSchema, ingestSettings } from './settings/ingest-settings.js';

export const configIngestApp = (
  set: SettingsOf<typeof ingestSchema> & Pick<ClusterSettings, 'cluster'>,
): ServiceApp => ({
  name: 'config ingest',
  module: {
    module: ConfigIngestModule,
    // A simulated cluster is known without reports.
    controllers: set.cluster === 'simulated' ? [] : [InventoryReports],
    providers: [
      {
        provide: INGEST_SETTINGS,
        useValue: ingestSettings(set),
      },
    ],
  },
  trims: historyTrims,
});

export const configIngestProgram: Program<typeof ingestSchema> = {
  name: 'config ingest',
  port: 8081,
  settings: ingestSchema,
  app: configIngestApp,
};
