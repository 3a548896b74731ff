import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Body,
  Controller,
  Get,
  InternalServerErrorException,
  Module,
  Param,
  Post,
  Put,
} from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiBody } from '@nestjs/swagger';
import { z } from 'zod';
import { InputError } from '#contracts';
import { routes, type TableOfRights } from '../access/table-of-rights.js';
import { createHttpApp } from '../http/create-http-app.js';
import { createLogger } from '../logging/create-logger.js';
import { schemaOf } from '../openapi/api-answer.js';
import { checkInput, RefusedInput } from '../problems/refused-input.js';
import { readSettings } from '../settings/read-settings.js';
import { type ServiceSettings, serviceSettings } from '../settings/service-settings.js';

const queueBody = z.object({ queue: z.string(), limits: z.array(z.object({ max: z.number() })) });

@Controller('v1/sample')
class SampleController {
  @Get('queues/:queue')
  queue(@Param('queue') queue: string) {
    return { queue };
  }
  @Put('echo')
  echo(@Body() body: unknown) {
    return { kind: typeof body, body };
  }
  @Post('checked')
  @ApiBody({ schema: schemaOf(queueBody) })
  checked(@Body() body: unknown) {
    return checkInput(queueBody, body);
  }
  @Get('input-error')
  inputError() {
    throw new InputError('queues[2].max', 'is negative; give 0 or more', 7, 3);
  }
  @Get('refused')
  refused() {
    throw new RefusedInput([
      { path: 'a', message: 'unknown key', line: 1, column: 1 },
      { path: 'b', message: 'not a number', line: 2, column: 5 },
    ]);
  }
  @Get('fault')
  fault() {
    throw new Error('postgres://curtail:hunter22@db/curtail refused');
  }
  @Get('zod-fault')
  zodFault() {
    return z.string().parse(1);
  }
  @Get('own-500')
  own500() {
    throw new InternalServerErrorException('table timers is missing');
  }
}

/** Where the API takes texts, too. */
@Controller('v1/partitions/sample/config')
class SampleConfigurationController {
  @Put()
  echo(@Body() body: unknown) {
    return { kind: typeof body, body };
  }
}

@Module({ controllers: [SampleController, SampleConfigurationController] })
class SampleModule {}

/** What the routes of the sample need. */
const sampleRights: TableOfRights = {
  'GET /v1/sample/queues/:queue': { rights: ['read'], place: 'none' },
  'GET /v1/sample/input-error': { rights: ['read'], place: 'none' },
  'GET /v1/sample/refused': { rights: ['read'], place: 'none' },
  'GET /v1/sample/fault': { rights: ['read'], place: 'none' },
  'GET /v1/sample/zod-fault': { rights: ['read'], place: 'none' },
  'GET /v1/sample/own-500': { rights: ['read'], place: 'none' },
  'PUT /v1/sample/echo': { rights: ['administer'], place: 'all' },
  'POST /v1/sample/checked': { rights: ['administer'], place: 'all' },
  'PUT /v1/partitions/sample/config': { rights: ['submit'], place: 'all' },
};

export interface SampleApp {
  app: NestExpressApplication;
  url: string;
  port: number;
  /** The log so far. */
  lines: string[];
  close(): Promise<void>;
}

export function settingsForTest(overrides: Partial<ServiceSettings> = {}): ServiceSettings {
  return { ...readSettings(serviceSettings, {}), port: 0, ...overrides };
}

/** A real application on a free port, for tests of the parts that all applications share. */
/** @param page the folder of a page that it serves. */
export async function startSampleApp(
  overrides: Partial<ServiceSettings> = {},
  page?: string,
): Promise<SampleApp> {
  const settings = settingsForTest({ logLevel: 'warn', ...overrides });
  const lines: string[] = [];
  const log = createLogger(settings, { write: (line: string) => lines.push(line) });
  const app = await createHttpApp(SampleModule, settings, {
    log,
    rights: { ...routes, ...sampleRights },
    ...(page !== undefined && { page }),
  });
  await app.listen(0);
  const server: Server = app.getHttpServer();
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await app.close();
  };
  return { app, url: `http://127.0.0.1:${port}`, port, lines, close };
}
