import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import {
  archiveAnswer,
  logPartitionList,
  replayAnswer,
  replayPage,
  replayStopping,
  replayView,
  republicationAnswer,
} from '#contracts/api';
import { moment } from '#contracts/events';
import { logPartitions } from '#event-store';
import {
  ApiAnswer,
  ApiParameters,
  ApiTaskAnswer,
  checkInput,
  notFound,
  schemaOf,
  senderField,
} from '#platform';
import { READER_DATABASE, SCAN_DATABASE } from '#runtime';
import { checkedSubfolder } from '../archive/archive.module.js';
import { listQuery, lists } from '../queries/list-query.js';
import { answerAtOnce, answerReplay } from './answer-replay.js';
import { ArchiveLog } from './archive/archive-log.js';
import { checkedTopic, RepublishEvents, republishedTopics } from './kafka/republish-events.js';
import { Replays } from './replays.js';
import { rangeOf, replayBody, republishBody, requestOf } from './work/replay-request.js';

@ApiTags('replay')
@Controller('v1/replays')
export class ReplayController {
  constructor(private readonly replays: Replays) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Read the log again: into the read model, or into plans that are compared',
    description:
      'Answers when it ends. To a caller that accepts `application/x-ndjson` it streams lines: `{"replay","resumed","unit","done","of"}` as progress, `{"result"}` or `{"error":{"message"}}` at the end. ' +
      'It continues without its caller. The same request resumes an unfinished one. Never evicts.',
  })
  @ApiBody({ schema: schemaOf(replayBody) })
  @ApiTaskAnswer(replayAnswer)
  async replay(@Body() body: unknown, @Req() asked: Request, @Res() response: Response): Promise<void> {
    const request = checkInput(replayBody, body);
    await answerReplay(await this.replays.begin(request.into, requestOf(request), request), asked, response);
  }

  @Get()
  @ApiOperation({ summary: 'Running and past replays, latest first' })
  @ApiParameters(lists.replays)
  @ApiAnswer(replayPage)
  list(@Query() query: unknown) {
    return this.replays.list(listQuery('replays', query));
  }

  @Get(':replay')
  @ApiOperation({ summary: 'A replay: its progress and result' })
  @ApiAnswer(replayView)
  async one(@Param('replay') replay: string) {
    const found = await this.replays.one(replay);
    if (found) return found;
    throw notFound(`There is no replay ${replay}.`, 'List them: curtail get replays');
  }

  @Delete(':replay')
  @ApiOperation({ summary: 'Stop a replay; the same request resumes it where it was' })
  @ApiAnswer(replayStopping)
  async stop(@Param('replay') replay: string) {
    const found = await this.one(replay);
    return { replay, stopping: await this.replays.wantStop(replay), was: found.state };
  }
}

const archiveBody = z.strictObject({
  before: moment.describe('Months that end at this time or before.'),
  to: z.string().min(1).max(1000).optional().describe('A folder below that of the setting.'),
  dryRun: z.boolean().default(false).describe('Only check what would be archived.'),
  by: senderField(),
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

/** The check of the topic has a sentence of its own. */
const described = republishBody.extend({ topic: z.enum(republishedTopics) });

@ApiTags('replay')
@Controller('v1/republications')
export class RepublishController {
  constructor(
    @Inject(SCAN_DATABASE) private readonly db: DataSource,
    private readonly replays: Replays,
    private readonly work: RepublishEvents,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Publish recorded events to Kafka again, for consumers that lost them',
    description:
      'The same ids, with the attribute `replayed`. Answers at the end, or in lines, as a replay does; with `dryRun`, only counts the messages. ' +
      'Refused (409) without Kafka.',
  })
  @ApiBody({ schema: schemaOf(described) })
  @ApiTaskAnswer(republicationAnswer)
  async republish(@Body() body: unknown, @Req() asked: Request, @Res() response: Response): Promise<void> {
    const { topic, from, to, dryRun, ...caller } = checkInput(republishBody, body);
    const request = { topic: checkedTopic(topic), ...rangeOf(from, to) };
    this.work.assertKafka();
    if (dryRun) {
      const events = await this.work.count(this.db, request);
      answerAtOnce({ topic, events }, asked, response);
    } else await answerReplay(await this.replays.begin('kafka', request, caller), asked, response);
  }
}
