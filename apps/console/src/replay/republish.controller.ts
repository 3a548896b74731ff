import { republicationLine } from '@curtail/contracts/api';
import { ApiAnswer, checkInput, schemaOf } from '@curtail/platform';
import { SCAN_DATABASE } from '@curtail/runtime';
import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { checkedTopic, RepublishEvents, republishedTopics } from './kafka/republish-events.js';
import { Replays } from './replays.js';
import { streamProgress } from './stream-progress.js';
import { rangeOf, republishBody } from './work/replay-request.js';

/** The check of the topic has a sentence of its own. */
const described = republishBody.extend({ topic: z.enum(republishedTopics) });

@ApiTags('replay')
@Controller('v1/republications')
export class RepublishController {
  constructor(
    @Inject(SCAN_DATABASE) private readonly db: DataSource,
    @Inject(Replays) private readonly replays: Replays,
    @Inject(RepublishEvents) private readonly work: RepublishEvents,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Publish recorded events to Kafka again, for consumers that lost them',
    description:
      'The same ids, with the attribute `replayed`. Streams JSON lines as a replay does; with `dryRun`, only counts the messages. ' +
      'Refused (409) without Kafka.',
  })
  @ApiBody({ schema: schemaOf(described) })
  @ApiAnswer(republicationLine, { as: 'lines' })
  async republish(@Body() body: unknown, @Res() response: Response): Promise<void> {
    const { topic, from, to, dryRun, ...caller } = checkInput(republishBody, body);
    const request = { topic: checkedTopic(topic), ...rangeOf(from, to) };
    this.work.assertKafka();
    if (dryRun) {
      const events = await this.work.count(this.db, request);
      response.type('application/x-ndjson').end(`${JSON.stringify({ result: { topic, events } })}\n`);
    } else await streamProgress(await this.replays.begin('kafka', request, caller), response);
  }
}
