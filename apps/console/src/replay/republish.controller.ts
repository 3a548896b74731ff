import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { republicationAnswer } from '#contracts/api';
import { ApiTaskAnswer, checkInput, schemaOf } from '#platform';
import { SCAN_DATABASE } from '#runtime';
import { answerAtOnce, answerReplay } from './answer-replay.js';
import { checkedTopic, RepublishEvents, republishedTopics } from './kafka/republish-events.js';
import { Replays } from './replays.js';

import { rangeOf, republishBody } from './work/replay-request.js';

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
