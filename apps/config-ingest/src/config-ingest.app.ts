import { Module } from '@nestjs/common';
import { InventoryReports } from '#clusters';
import type { SettingsOf } from '#platform';
import type { ClusterSettings, Program, ServiceApp } from '#runtime';
import { ConfigController } from './config.controller.js';
import { historyTrims } from './history/configuration-history.js';
import { PlanInThread } from './preview/plan-in-thread.js';
import { PreviewConfiguration } from './preview/preview-configuration.js';
import { PreviewQueue } from './preview/preview-queue.js';
import { QueueConfigController } from './queue-config.controller.js';
import { ReadInThread } from './reading/read-in-thread.js';
import { Rollback } from './rollback.js';
import { INGEST_SETTINGS, ingestSchema, ingestSettings } from './settings/ingest-settings.js';
import { SubmitConfiguration } from './submit/submit-configuration.js';
import { SubmitQueue } from './submit/submit-queue.js';
import { TakeSubmissions } from './submit/take-submissions.js';
import { CompareConfigurations } from './what-if/compare.js';
import { WhatIfController } from './what-if/what-if.controller.js';

/** Receives configurations and records what changed. */
@Module({
  controllers: [ConfigController, QueueConfigController, TakeSubmissions, WhatIfController],
  providers: [
    CompareConfigurations,
    PlanInThread,
    PreviewConfiguration,
    PreviewQueue,
    ReadInThread,
    Rollback,
    SubmitConfiguration,
    SubmitQueue,
  ],
  exports: [SubmitConfiguration],
})
export class ConfigIngestModule {}

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
