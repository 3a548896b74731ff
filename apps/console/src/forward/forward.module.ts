import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG_INGEST_URL, ForwardConfigurationsController } from './forward-configurations.controller.js';

@Module({ controllers: [ForwardConfigurationsController] })
class ForwardModule {}

/** @param url address of config-ingest. */
export function forwardModule(url: string): DynamicModule {
  return { module: ForwardModule, providers: [{ provide: CONFIG_INGEST_URL, useValue: url }] };
}
