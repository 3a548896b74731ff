import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { replayAnswer, replayPage, replayStopping, replayView } from '#contracts/api';
import { ApiAnswer, ApiParameters, ApiTaskAnswer, checkInput, notFound, schemaOf } from '#platform';
import { listQuery, lists } from '../queries/list-query.js';
import { answerReplay } from './answer-replay.js';
import { Replays } from './replays.js';

import { replayBody, requestOf } from './work/replay-request.js';

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
