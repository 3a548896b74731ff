import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { queueHistory } from '#contracts/api';
import { ApiAnswer, ApiParameters } from '#platform';
import { listQuery, lists } from '../queries/list-query.js';
import { Queues } from '../queries/queues.js';
import { QueueHistories } from './queue-history.js';

@ApiTags('queries')
@Controller('v1/queues')
export class HistoryController {
  constructor(
    private readonly queues: Queues,
    private readonly histories: QueueHistories,
  ) {}

  @Get(':path/history')
  @ApiOperation({
    summary: 'Quota and usage of a queue over time, and what changed them, from the log',
    description:
      'For a plot: each quota, the usage as plans and evictions state it, and a mark for each change, clock and run. Of older events only the ' +
      'last of each name and time is marked. Without `since`, the last 30 days.',
  })
  @ApiParameters(lists.history)
  @ApiAnswer(queueHistory)
  async history(@Param('path') path: string, @Query() query: unknown) {
    const { partition, since } = listQuery('history', query);
    const { queue } = await this.queues.known(partition, path);
    return this.histories.of(queue, since);
  }
}
