import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { archiveAnswer, logPartitionList } from '#contracts/api';
import { moment } from '#contracts/events';
import { logPartitions } from '#event-store';
import { ApiAnswer, ApiTaskAnswer, checkInput, schemaOf } from '#platform';
import { READER_DATABASE } from '#runtime';
import { checkedSubfolder } from '../archive/archive.module.js';
import { answerAtOnce, answerReplay } from './answer-replay.js';
import { ArchiveLog } from './archive/archive-log.js';
import { Replays } from './replays.js';

const archiveBody = z.strictObject({
  before: moment.describe('Months that end at this time or before.'),
  to: z.string().min(1).max(1000).optional().describe('A folder below that of the setting.'),
  dryRun: z.boolean().default(false).describe('Only check what would be archived.'),
  by: z.string().min(1).max(200).default('operator'),
});

@ApiTags('log')
@Controller('v1/log')
export class ArchiveController {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    private readonly archive: ArchiveLog,
    private readonly replays: Replays,
  ) {}

  @Get('partitions')
  @ApiOperation({ summary: 'The partitions of the log, oldest first, and the files of archived ones' })
  @ApiAnswer(logPartitionList)
  async partitions() {
    return { items: await logPartitions(this.db) };
  }

  @Post('archive')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Move the log before a time into files',
    description:
      'Whole months, into the folder of the setting CURTAIL_ARCHIVE_DIR. Answers at the end, or in lines, as a replay does; with `dryRun`, only lists what would be archived. ' +
      'Refused (409) while a reader still needs it; the answer names the reader and the remedy. An unfinished archive is resumed.',
  })
  @ApiBody({ schema: schemaOf(archiveBody) })
  @ApiTaskAnswer(archiveAnswer)
  async archiveLog(@Body() body: unknown, @Req() asked: Request, @Res() response: Response): Promise<void> {
    const { before, to, dryRun, by } = checkInput(archiveBody, body);
    const request = { before, ...(to ? { folder: checkedSubfolder(to) } : {}) };
    const partitions = await this.archive.archivable(before);
    if (dryRun) {
      answerAtOnce({ partitions }, asked, response);
    } else
      await answerReplay(
        await this.replays.begin('archive', request, { by, restart: false }),
        asked,
        response,
      );
  }
}
