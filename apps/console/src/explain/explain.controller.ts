import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Plan, partitionOptionText } from '#contracts';
import {
  allocationExplanation,
  enforcementExplanation,
  plan,
  queueExplanation,
  queueHistory,
} from '#contracts/api';
import { ApiAnswer, ApiParameters, ApiProblem, callingClientOf, notFound } from '#platform';
import { QueueHistories } from '../history/queue-history.js';
import { listQuery, lists } from '../queries/list-query.js';
import { Log } from '../queries/log.js';
import { first, firstOfEach } from '../queries/part-query.js';
import { Queues } from '../queries/queues.js';
import { Explain } from './explain.js';
import { PlanGivenInThread } from './plan-given-in-thread.js';

@ApiTags('why')
@Controller('v1')
export class ExplainController {
  constructor(
    private readonly explain: Explain,
    private readonly log: Log,
    private readonly givenPlans: PlanGivenInThread,
  ) {}

  @Get('enforcements/:enforcement/explanation')
  @ApiOperation({
    summary: 'Why each victim was chosen, and each other allocation was not',
    description:
      'With `limit`, at most this many of each list, with `counts` of how many there are, and the number of spared allocations by reason with the first of them; for very large inputs without the spared ones.',
  })
  @ApiParameters(first)
  @ApiAnswer(enforcementExplanation)
  @ApiProblem(422, 'It needs more memory than a thread may use.')
  async enforcement(
    @Param('enforcement') enforcement: string,
    @Query() query: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const explanation = await this.explain.enforcement(
      enforcement,
      firstOfEach(query),
      callingClientOf(response),
    );
    if (explanation) return explanation;
    const archived = await this.log.archived(enforcement);
    if (archived) throw notFound(archived);
    throw notFound(`There is no enforcement ${enforcement}.`, 'List them: curtail get enforcements');
  }

  @Get('allocations/:id/explanation')
  @ApiOperation({ summary: 'Why runs chose an allocation or spared it' })
  @ApiParameters(lists.one)
  @ApiAnswer(allocationExplanation)
  @ApiProblem(422, 'It needs more memory than a thread may use.')
  async allocation(
    @Param('id') id: string,
    @Query() query: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { partition } = listQuery('one', query);
    const explanation = await this.explain.allocation(partition, id, callingClientOf(response));
    if (explanation) return explanation;
    throw notFound(
      `No allocation ${id} runs in partition ${partition}, and none of its latest runs knows it.`,
      `List what runs: curtail get allocations${partitionOptionText(partition)}`,
    );
  }

  @Get('queues/:path/explanation')
  @ApiOperation({ summary: 'Clock, runs, rounds and events of a queue' })
  @ApiParameters(lists.one)
  @ApiAnswer(queueExplanation)
  queue(@Param('path') path: string, @Query() query: unknown) {
    const { partition } = listQuery('one', query);
    return this.explain.queue(partition, path.toLowerCase());
  }

  @Post('plans/preview')
  @HttpCode(200)
  @ApiOperation({
    summary: 'What-if: a snapshot, a trigger and settings in, a plan out',
    description: 'A pure function of the body (docs/reference/snapshot.md). Nothing is stored or evicted.',
  })
  @ApiBody({ schema: { type: 'object', required: ['snapshot', 'trigger'] } })
  @ApiAnswer(plan)
  preview(@Body() body: unknown, @Res({ passthrough: true }) response: Response): Promise<Plan> {
    return this.givenPlans.plan(body, callingClientOf(response));
  }
}

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
    const { queue } = await this.queues.known(partition, path.toLowerCase());
    return this.histories.of(queue, since);
  }
}
