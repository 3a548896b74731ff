import 'reflect-metadata';
import { eventSchemas } from '@curtail/contracts';
import { appsModule, curtailSettings, openApiText, type Runtime, readSettings } from '@curtail/platform';
import { NestFactory } from '@nestjs/core';
import { allApps } from './run-all-in-one.js';

/**
 * The documents that are made from the code, by file name in docs/reference. The application is only described (Nest's
 * preview): nothing is connected, nothing runs.
 */
export async function documents(): Promise<Record<string, string>> {
  const nothing = { database: {}, bus: {}, doorbell: {}, databaseUrl: '' } as unknown as Runtime;
  const app = await NestFactory.create(appsModule(nothing, allApps(readSettings(curtailSettings, {}))), {
    preview: true,
    logger: false,
  });
  return {
    'openapi.json': openApiText(app),
    'events.schema.json': `${JSON.stringify(eventSchemas(), null, 2)}\n`,
  };
}
