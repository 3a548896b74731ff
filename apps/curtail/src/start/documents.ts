import 'reflect-metadata';
import { asyncApi, eventSchemas, inboundSchemas } from '@curtail/contracts';
import {
  appsModule,
  createLogger,
  curtailSettings,
  openApiText,
  platformModule,
  type Runtime,
  readSettings,
  Shutdown,
} from '@curtail/platform';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { allApps } from './run-all-in-one.js';
import { settingsDocument } from './settings-document.js';

@Module({})
class DescribedModule {}

/**
 * The documents that are made from the code, by file name in docs/reference. The application is only described (Nest's
 * preview): nothing is connected, nothing runs.
 */
export async function documents(): Promise<Record<string, string>> {
  const settings = readSettings(curtailSettings, { CURTAIL_LOG_LEVEL: 'silent' });
  const log = createLogger(settings);
  const nothing = { database: {}, bus: {}, doorbell: {}, databaseUrl: '' } as unknown as Runtime;
  const imports = [
    platformModule(settings, log, new Shutdown({ log, deadlineSeconds: 1 })),
    appsModule(nothing, allApps(settings), settings),
  ];
  const app = await NestFactory.create(
    { module: DescribedModule, imports },
    { preview: true, logger: false, abortOnError: false },
  );
  const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;
  return {
    'asyncapi.json': json(asyncApi()),
    'inbound.schema.json': json(inboundSchemas()),
    'openapi.json': openApiText(app),
    'events.schema.json': json(eventSchemas()),
    'settings.md': settingsDocument(),
  };
}
