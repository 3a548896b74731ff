import { Controller, Get, Module, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { statusView } from '#contracts/api';
import { ApiAnswer, ApiParameters, callingClientOf, checkInput, concerns, readable } from '#platform';
import { FreezesModule } from '../freezes/freezes.module.js';
import { QueriesModule } from '../queries/queries.module.js';
import { limitStatus } from './limit-status.js';
import { QueuesAbove } from './queues-above.js';
import { Status } from './status.js';

const of = z.strictObject({
  partition: z.string().trim().toLowerCase().min(1).max(64).optional().describe('Absent: all.'),
});

@ApiTags('queries')
@Controller('v1/status')
class StatusController {
  constructor(private readonly status: Status) {}

  @Get()
  @ApiOperation({
    summary: 'The status of each partition in one answer, and what needs attention',
    description:
      'Mode, stops and freezes in effect, queues above their quota and why, clocks that run, runs in progress, runs that wait for approval, ' +
      'the reports of schedulers, lag and dead letters.',
  })
  @ApiParameters(of)
  @ApiAnswer(statusView)
  async situation(@Query() query: unknown, @Res({ passthrough: true }) response: Response) {
    const status = await this.status.of(checkInput(of, query).partition, callingClientOf(response));
    const [reads, holds] = [readable(response), concerns(response)];
    return reads && holds ? limitStatus(status, { readable: reads, concerns: holds }) : status;
  }
}

/** The state of the whole, and what needs attention. */
@Module({
  imports: [FreezesModule, QueriesModule],
  controllers: [StatusController],
  providers: [QueuesAbove, Status],
})
export class StatusModule {}
