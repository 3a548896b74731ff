import { Module } from '@nestjs/common';
import { ConfigController } from './config.controller.js';
import { PlanApart } from './preview/plan-apart.js';
import { PreviewConfiguration } from './preview/preview-configuration.js';
import { PreviewQueue } from './preview/preview-queue.js';
import { QueueConfigController } from './queue-config.controller.js';
import { ReadApart } from './reading/read-apart.js';
import { Rollback } from './rollback.js';
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
    PlanApart,
    PreviewConfiguration,
    PreviewQueue,
    ReadApart,
    Rollback,
    SubmitConfiguration,
    SubmitQueue,
  ],
  exports: [SubmitConfiguration],
})
export class ConfigIngestModule {}
