import { setTimeout as delay } from 'node:timers/promises';
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
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { Replays, type RunningReplay } from './replays.js';
import { replayWish, wishOf } from './wish.js';

const listed = z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(100) });

/** Between two lines that tell how far it is. */
const toldEveryMs = 250;

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
      'It goes on when the caller goes away. An unfinished one of the same wish is gone on with. Never evicts.',
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
    const wish = checkInput(replayWish, body);
    await tell(await this.replays.begin(wish.into, wishOf(wish), wish), response);
  }

  @Get()
  @ApiOperation({ summary: 'Replays that run or ran, the latest first' })
  @ApiQuery({ name: 'limit', required: false, description: '1 to 1000, default 100' })
  async list(@Query() query: unknown) {
    return { items: await this.replays.list(checkInput(listed, query).limit) };
  }

  @Get(':replay')
  @ApiOperation({ summary: 'A replay: how far it is, and what came out' })
  async one(@Param('replay') replay: string) {
    const found = await this.replays.one(replay);
    if (found) return found;
    throw new NotFoundException(`there is no replay ${replay}; \`curtail get replays\` lists them`);
  }

  @Delete(':replay')
  @ApiOperation({ summary: 'Stop a replay; asked for again, it goes on where it was' })
  async stop(@Param('replay') replay: string) {
    const found = await this.one(replay);
    return { replay, stopping: await this.replays.wantStop(replay), was: found.state };
  }
}

/** Tells how far it is until it is over, or until nobody listens: it goes on without. */
export async function tell(running: RunningReplay, response: Response): Promise<void> {
  const { replay, resumed, unit } = running;
  const line = (value: unknown) => response.write(`${JSON.stringify(value)}\n`);
  response.type('application/x-ndjson');
  const over = running.finished.then(
    (result) => ({ result }),
    (error: Error) => ({ error: { message: error.message } }),
  );
  for (;;) {
    line({ replay, resumed, unit, done: running.done, of: running.of });
    const ended = await Promise.race([over, delay(toldEveryMs)]);
    if (response.destroyed) return;
    if (!ended) continue;
    line({ replay, resumed, unit, done: running.done, of: running.of });
    line(ended);
    response.end();
    return;
  }
}
