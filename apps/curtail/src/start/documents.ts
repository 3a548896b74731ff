import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { webhookMessage } from '#contracts/api';
import { asyncApi, eventSchemas, inboundSchemas } from '#contracts/events';
import { answerSchemaOf, createLogger, openApiText, platformModule, readSettings, Shutdown } from '#platform';
import { programVersion } from '#platform/version';
import { appsModule, curtailSettings, type Runtime } from '#runtime';
import { rightsDocument, rulesOfChart } from './rights-document.js';
import { allApps } from './run-all-in-one.js';
import { settingsDocument } from './settings-document.js';

@Module({})
class DescribedModule {}

/**
 * The generated files, by path. The application is only described (Nest's preview mode): nothing connects, nothing runs.
 */
export async function documents(): Promise<Record<string, string>> {
  const settings = readSettings(curtailSettings, { CURTAIL_LOG_LEVEL: 'silent' });
  const log = createLogger(settings);
  const nothing = { database: {}, bus: {}, wakeUpQueue: {}, databaseUrl: '' } as unknown as Runtime;
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
    'docs/reference/asyncapi.json': json(asyncApi(programVersion())),
    'docs/reference/inbound.schema.json': json(inboundSchemas()),
    'docs/reference/openapi.json': openApiText(app),
    'docs/reference/events.schema.json': json(eventSchemas()),
    'docs/reference/webhook.schema.json': json({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...answerSchemaOf(webhookMessage),
    }),
    'docs/reference/settings.md': settingsDocument(),
    'docs/reference/kubernetes-rights.md': rightsDocument(),
    'deploy/helm/curtail/files/agent-rules.yaml': rulesOfChart(),
  };
}
