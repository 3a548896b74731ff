import { checkInput } from '@curtail/platform';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiListQuery, listQuery } from '../queries/list-query.js';
import { replayBody, requestOf } from './replay-request.js';
import { Replays } from './replays.js';
import { tell } from './tell.js';

@ApiTags('replay')
@Controller('v1/replays')
export class ReplayController {
  constructor(@Inject(Replays) private readonly replays: Replays) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Read the log again: into the read model, or into plans that are compared',
    description:
      'Lines of JSON: `{"replay","resumed","unit","done","of"}` on the way, `{"result"}` or `{"error":{"message"}}` at the end. ' +
      'It continues when the caller leaves. The same request resumes an unfinished one. Never evicts.',
  })
  @ApiBody({
    schema: {
      type: 'object',
      required: ['into'],
      properties: {
        into: { enum: ['projections', 'digest', 'shadow'] },
        from: { type: 'string', format: 'date-time', description: 'plans recorded from this time on' },
        to: { type: 'string', format: 'date-time', description: 'plans recorded before this time' },
        settings: { type: 'object', description: 'of a shadow: laid over the recorded settings' },
        restart: { type: 'boolean', description: 'from the beginning' },
        by: { type: 'string' },
      },
    },
  })
  async replay(@Body() body: unknown, @Res() response: Response): Promise<void> {
    const request = checkInput(replayBody, body);
    await tell(await this.replays.begin(request.into, requestOf(request), request), response);
  }

  @Get()
  @ApiOperation({ summary: 'Replays that run or ran, the latest first' })
  @ApiListQuery()
  async list(@Query() query: unknown) {
    // They are of the whole log, whatever partition is asked for.
    const { since, limit } = listQuery(query);
    return { items: await this.replays.list(limit, since) };
  }

  @Get(':replay')
  @ApiOperation({ summary: 'A replay: how far it is, and what came out' })
  async one(@Param('replay') replay: string) {
    const found = await this.replays.one(replay);
    if (found) return found;
    throw new NotFoundException(`there is no replay ${replay}; \`curtail get replays\` lists them`);
  }

  @Delete(':replay')
  @ApiOperation({ summary: 'Stop a replay; the same request resumes it where it was' })
  async stop(@Param('replay') replay: string) {
    const found = await this.one(replay);
    return { replay, stopping: await this.replays.wantStop(replay), was: found.state };
  }
}
