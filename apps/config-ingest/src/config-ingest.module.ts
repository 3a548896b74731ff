import { Module } from '@nestjs/common';
import { ConfigController } from './config.controller.js';
import { PreviewConfiguration } from './preview-configuration.js';
import { SubmitConfiguration } from './submit-configuration.js';

/** Takes configurations in and says what changed. */
@Module({
  controllers: [ConfigController],
  providers: [PreviewConfiguration, SubmitConfiguration],
  exports: [SubmitConfiguration],
})
export class ConfigIngestModule {}
