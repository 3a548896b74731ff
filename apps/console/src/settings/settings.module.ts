import { Body, Controller, Get, Headers, Module, Param, Patch, Query, Res } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { settingChanges, settingsView } from '#contracts/api';
import {
  ApiAnswer,
  ApiParameters,
  checkInput,
  schemaOf,
  senderField,
  tagOf,
  versionToMatch,
} from '#platform';
import { Settings } from './settings.js';

const queue = z.string().trim().toLowerCase().min(1).max(4096).default('root');
const wanted = z.strictObject({ queue: queue.describe('A queue; root: the partition.') });
const change = z.strictObject({
  queue: queue.describe('A queue; root: the partition.'),
  settings: settingChanges,
  by: senderField(),
  reason: z.string().max(2000).optional(),
});

@ApiTags('settings')
@Controller('v1')
class SettingsController {
  constructor(private readonly settings: Settings) {}

  @Get('partitions/:partition/settings')
  @ApiOperation({
    summary: 'The settings in force for a queue, or for the partition, and where each comes from',
    description: 'The ETag is the version of the overrides of the partition.',
  })
  @ApiParameters(wanted)
  @ApiAnswer(settingsView)
  async get(
    @Param('partition') partition: string,
    @Query() query: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { queue } = checkInput(wanted, query);
    const view = await this.settings.of(partition.toLowerCase(), queue);
    response.setHeader('ETag', tagOf(view.version));
    return view;
  }

  @Patch('partitions/:partition/settings')
  @ApiOperation({
    summary: 'Override settings of a queue and all below it, or of the partition, at runtime',
    description:
      'Each named setting overrides the configured value for this queue until it is set to null. Other settings stay as they are. ' +
      'It holds without a restart: for plans made and runs opened from now on; the rate and the grace period also for runs in progress.',
  })
  @ApiHeader({
    name: 'if-match',
    required: false,
    description:
      'The ETag of the settings that are to change; 412 if an override of the partition changed since',
  })
  @ApiBody({ schema: schemaOf(change) })
  @ApiAnswer(settingsView)
  async patch(
    @Param('partition') partition: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
    @Headers('if-match') ifMatch?: string,
  ) {
    const ifVersion = versionToMatch(ifMatch, 'GET /v1/partitions/{partition}/settings');
    const request = { ...checkInput(change, body ?? {}), partition: partition.toLowerCase(), ifVersion };
    const view = await this.settings.change(request);
    response.setHeader('ETag', tagOf(view.version));
    return view;
  }
}

/** The settings of queues and partitions at runtime. */
@Module({ controllers: [SettingsController], providers: [Settings] })
export class SettingsModule {}
