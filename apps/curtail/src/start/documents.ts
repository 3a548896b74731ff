import 'reflect-metadata';
import { eventSchemas } from '@curtail/contracts';
import { curtailSettings, openApiText, type Runtime, readSettings } from '@curtail/platform';
import { NestFactory } from '@nestjs/core';
import { allInOneModule } from './all-in-one.module.js';

/**
 * The documents that are made from the code, by file name in docs/reference. The application is only described (Nest's
 * preview): nothing is connected, nothing runs.
 */
export async function documents(): Promise<Record<string, string>> {
  const nothing = { database: {}, bus: {}, doorbell: {}, databaseUrl: '' } as unknown as Runtime;
  const app = await NestFactory.create(allInOneModule(nothing, readSettings(curtailSettings, {})), {
    preview: true,
    logger: false,
  });
  return {
    'openapi.json': openApiText(app),
    'events.schema.json': `${JSON.stringify(eventSchemas(), null, 2)}\n`,
  };
}
