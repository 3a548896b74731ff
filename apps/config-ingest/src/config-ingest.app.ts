import { InventoryReports } from '@curtail/clusters';
import { readSettings } from '@curtail/contracts';
import { type SettingsOf, someOf } from '@curtail/platform';
import { appSettings, type Program, type ServiceApp } from '@curtail/runtime';
import { ConfigIngestModule } from './config-ingest.module.js';
import { INGEST_SETTINGS } from './ingest-settings.js';
import { TakeSubmissions } from './take-submissions.js';

const settings = someOf(
  appSettings,
  'policy',
  'defaultMode',
  'approveAboveVictims',
  'approveAbovePercent',
  'victimsPerSecond',
  'graceSeconds',
  'mostAllocations',
  'previewSeconds',
  'previewMegabytes',
);

export const configIngestApp = (set: SettingsOf<typeof settings>): ServiceApp => ({
  name: 'config ingest',
  module: {
    module: ConfigIngestModule,
    providers: [
      {
        provide: INGEST_SETTINGS,
        useValue: {
          policy: readSettings(set.policy),
          defaultMode: set.defaultMode,
          approveAboveVictims: set.approveAboveVictims,
          approveAbovePercent: set.approveAbovePercent,
          victimsPerSecond: set.victimsPerSecond,
          graceSeconds: set.graceSeconds,
          mostAllocations: set.mostAllocations,
          previewSeconds: set.previewSeconds,
          previewMegabytes: set.previewMegabytes,
        },
      },
    ],
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
