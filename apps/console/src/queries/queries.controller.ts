import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import { InputError, partitionOptionText } from '#contracts';
import {
  allocationPage,
  allocationView,
  applicationPage,
  configurationVersionDetail,
  configurationVersionPage,
  elementPage,
  enforcementDetail,
  enforcementPage,
  eventInContext,
  eventPage,
  eventView,
  feedPage,
  foreseenPage,
  foundVictims,
  modeView,
  namedKind,
  namedKinds,
  nameList,
  noticePage,
  partitionPage,
  partitionView,
  planPage,
  queuePage,
  queueView,
  recordedPlan,
  reportView,
  roundsPage,
  runTimeline,
  timerPage,
  versionNumber,
} from '#contracts/api';
import { ApiAnswer, ApiParameters, checkInput, concerns, notFound } from '#platform';
import { Configurations } from './configurations.js';
import { Enforcements } from './enforcements.js';
import { Feeds } from './feeds.js';
import { ForeseenOwners } from './foreseen.js';
import { listQuery, lists } from './list-query.js';
import { Log } from './log.js';
import { Names } from './names.js';
import { victimPage, victimPages } from './part-query.js';
import { Partitions } from './partitions.js';
import { Pools } from './pools.js';
import { Queues } from './queues.js';
import { Report, reportQuery } from './report.js';
import { Rounds } from './rounds.js';
import { Timers } from './timers.js';

const beginning = z.strictObject({
  prefix: z.string().max(4096).default('').describe('The beginning of the names.'),
  partition: z
    .string()
    .toLowerCase()
    .min(1)
    .max(64)
    .default('default')
    .describe('The partition of allocations and queues.'),
  limit: z.coerce.number().int().min(1).max(100).default(10),
});

const logPosition = z.string().regex(/^\d{1,18}$/, 'is not a position of the log');

/** Lists in an order that changes: every item that keeps its place is on exactly one page. */
const changing =
  'A run that stays as it is, is on exactly one page, whatever changes meanwhile. One that changes moves to the front: to have all of them, ' +
  'read the pages to the end, then again with `since` set to the time before the first page.';

@ApiTags('queries')
@Controller('v1')
export class QueriesController {
  constructor(
    private readonly queues: Queues,
    private readonly timers: Timers,
    private readonly foreseen: ForeseenOwners,
    private readonly enforcements: Enforcements,
    private readonly log: Log,
    private readonly rounds: Rounds,
    private readonly pools: Pools,
    private readonly names: Names,
    private readonly partitions: Partitions,
    private readonly configurations: Configurations,
    private readonly feeds: Feeds,
    private readonly reports: Report,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {}

  @Get('queues')
  @ApiOperation({
    summary: 'Queues, with usage, clock and run',
    description:
      'Those of the configuration in force, and those that are not in it and hold work (`configured: false`), until they are empty.',
  })
  @ApiParameters(lists.queues)
  @ApiAnswer(queuePage)
  listQueues(@Query() query: unknown) {
    return this.queues.list(listQuery('queues', query));
  }

  @Get('queues/:path')
  @ApiOperation({ summary: 'One queue' })
  @ApiParameters(lists.one)
  @ApiAnswer(queueView)
  async oneQueue(@Param('path') name: string, @Query() query: unknown) {
    const { partition } = listQuery('one', query);
    const path = name.toLowerCase();
    const queue = await this.queues.one(partition, path);
    if (queue) return queue;
    throw await this.queues.unknown(partition, path);
  }

  @Get('names/:kind')
  @ApiOperation({
    summary: 'Names with a prefix: ids of runs, allocations, replays or dead letters, queues or partitions',
  })
  @ApiParam({ name: 'kind', enum: namedKinds })
  @ApiParameters(beginning)
  @ApiAnswer(nameList)
  async listNames(
    @Param('kind') kind: string,
    @Query() query: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    const wanted = checkInput(z.strictObject({ kind: namedKind }), { kind });
    const of = checkInput(beginning, query);
    const items = await this.names.like(wanted.kind, of);
    const isConcerned = concerns(response);
    if (isConcerned === undefined) return { items };
    // Of what these names are, only the queue and the partition are known here.
    if (wanted.kind === 'partition')
      return { items: items.filter((partition) => isConcerned({ partition })) };
    if (wanted.kind === 'queue')
      return { items: items.filter((queue) => isConcerned({ partition: of.partition, queue })) };
    return { items: [] };
  }

  @Get('partitions')
  @ApiOperation({
    summary: 'Partitions with a configuration, a mode or a stop: mode, switch, policies, stops',
  })
  @ApiParameters(lists.partitions)
  @ApiAnswer(partitionPage)
  listPartitions(@Query() query: unknown) {
    return this.partitions.list(listQuery('partitions', query));
  }

  @Get('feeds')
  @ApiOperation({
    summary:
      'Senders of reports and configurations over Kafka: what of each is in force, and what was ignored',
    description:
      'One entry for each partition, kind and CloudEvents source; forgotten 90 days after the last message.',
  })
  @ApiParameters(lists.feeds)
  @ApiAnswer(feedPage)
  listFeeds(@Query() query: unknown) {
    return this.feeds.list(listQuery('feeds', query));
  }

  @Get('report')
  @ApiOperation({
    summary: 'Evictions of a period, and the work lost with them, by queue, user, cause or rule',
    description:
      'The work lost with a victim is its amounts times the time since its start or its last checkpoint. Runs are counted as long as they are kept (CURTAIL_RUN_RETENTION_DAYS).',
  })
  @ApiParameters(reportQuery)
  @ApiAnswer(reportView)
  report(@Query() query: unknown) {
    return this.reports.of(checkInput(reportQuery, query));
  }

  @Get('partitions/:partition')
  @ApiOperation({ summary: 'One partition' })
  @ApiAnswer(partitionView)
  onePartition(@Param('partition') name: string) {
    return this.partitions.one(name.toLowerCase());
  }

  @Get('partitions/:partition/mode')
  @ApiOperation({ summary: 'The mode in effect' })
  @ApiAnswer(modeView)
  async mode(@Param('partition') name: string) {
    const { partition, mode, modeIsDefault, limited } = await this.onePartition(name);
    return { partition, mode, modeIsDefault, ...(limited && { limited }) };
  }

  @Get('partitions/:partition/configurations')
  @ApiOperation({
    summary:
      'Versions of the configuration of a partition, latest first: who sent each, when, and what it changed',
  })
  @ApiParameters(lists.configurations)
  @ApiAnswer(configurationVersionPage)
  listConfigurations(@Param('partition') partition: string, @Query() query: unknown) {
    return this.configurations.list(partition.toLowerCase(), listQuery('configurations', query));
  }

  @Get('partitions/:partition/configurations/:version')
  @ApiOperation({
    summary: 'One version of a configuration: its text, and the changes from the version before',
  })
  @ApiAnswer(configurationVersionDetail)
  async oneConfiguration(@Param('partition') name: string, @Param('version') written: string) {
    const partition = name.toLowerCase();
    const { version } = checkInput(z.object({ version: versionNumber }), { version: written });
    return found(
      await this.configurations.one(partition, version),
      `configuration version ${version} of partition ${partition}`,
      `configurations${partitionOptionText(partition)}`,
    );
  }

  @Get('timers')
  @ApiOperation({ summary: 'Running clocks, by due time' })
  @ApiParameters(lists.timers)
  @ApiAnswer(timerPage)
  listTimers(@Query() query: unknown) {
    return this.timers.list(listQuery('timers', query));
  }

  @Get('foreseen')
  @ApiOperation({
    summary: 'What the runs of the running clocks would evict, by queue and application',
    description:
      'Advance notice to owners: the allocations of each application that would be evicted if the clock were due now. It is checked again at a steady interval.',
  })
  @ApiParameters(lists.foreseen)
  @ApiAnswer(foreseenPage)
  listForeseen(@Query() query: unknown) {
    return this.foreseen.list(listQuery('foreseen', query));
  }

  @Get('rounds')
  @ApiOperation({
    summary: 'The last round of each policy with rounds, and its outcome',
    description: 'One entry per policy, all on one page.',
  })
  @ApiParameters(lists.rounds)
  @ApiAnswer(roundsPage)
  listRounds(@Query() query: unknown) {
    return this.rounds.list(listQuery('rounds', query));
  }

  @Get('pools')
  @ApiOperation({
    summary: 'Pools as the last round of fair-share found them: shares, satisfaction, status, starvation',
    description: 'Shares are fractions of the cluster.',
  })
  @ApiParameters(lists.elements)
  @ApiAnswer(elementPage)
  listPools(@Query() query: unknown) {
    return this.pools.list('pool', listQuery('elements', query));
  }

  @Get('operations')
  @ApiOperation({
    summary: 'Operations as the last round of fair-share found them',
    description:
      'Shares are fractions of the cluster. Of more than a thousand operations, those with the lowest satisfaction are listed.',
  })
  @ApiParameters(lists.elements)
  @ApiAnswer(elementPage)
  listOperations(@Query() query: unknown) {
    return this.pools.list('operation', listQuery('elements', query));
  }

  @Get('enforcements')
  @ApiOperation({ summary: 'Runs, latest change first', description: changing })
  @ApiParameters(lists.enforcements)
  @ApiAnswer(enforcementPage)
  listEnforcements(@Query() query: unknown) {
    return this.enforcements.list(listQuery('enforcements', query));
  }

  @Get('enforcements/:enforcement')
  @ApiOperation({
    summary: 'One run and the state of its victims, in order of eviction',
    description: '`next` is present if there are more victims: pass it as `after`.',
  })
  @ApiParameters(victimPages)
  @ApiAnswer(enforcementDetail)
  async oneEnforcement(@Param('enforcement') enforcement: string, @Query() query: unknown) {
    const run = await this.enforcements.one(enforcement, victimPage(query));
    const archived = run ? undefined : await this.log.archived(enforcement);
    return found(run, `enforcement ${enforcement}`, 'enforcements', archived);
  }

  @Get('enforcements/:enforcement/timeline')
  @ApiOperation({
    summary: 'What happened in a run, step by step',
    description: 'Its events and those of its clock. Events of victims that follow one another are one step.',
  })
  @ApiAnswer(runTimeline)
  async timeline(@Param('enforcement') enforcement: string) {
    const timeline = await this.enforcements.timeline(enforcement);
    return found(timeline, `enforcement ${enforcement}`, 'enforcements');
  }

  @Get('victims')
  @ApiOperation({
    summary: 'What runs chose of an application or a user, latest first',
    description:
      'Name at least one of them. Runs are known as long as they are kept (CURTAIL_RUN_RETENTION_DAYS).',
  })
  @ApiParameters(lists.victims)
  @ApiAnswer(foundVictims)
  async listVictims(@Query() query: unknown) {
    const wanted = listQuery('victims', query);
    if (wanted.user === undefined && wanted.application === undefined)
      throw new InputError('query.user', 'is missing; name a user, an application, or both');
    return { items: await this.enforcements.victimsOf(wanted) };
  }

  @Get('plans')
  @ApiOperation({ summary: 'Recorded plans, latest first' })
  @ApiParameters(lists.plans)
  @ApiAnswer(planPage)
  listPlans(@Query() query: unknown) {
    return this.log.plans(listQuery('plans', query));
  }

  @Get('plans/:enforcement')
  @ApiOperation({ summary: 'The plan of a run, as recorded' })
  @ApiAnswer(recordedPlan)
  async onePlan(@Param('enforcement') enforcement: string) {
    const plan = await this.log.plan(enforcement);
    const archived = plan ? undefined : await this.log.archived(enforcement);
    return found(plan, `plan of enforcement ${enforcement}`, 'enforcements', archived);
  }

  @Get('events')
  @ApiOperation({ summary: 'The log, latest first' })
  @ApiParameters(lists.events)
  @ApiAnswer(eventPage)
  listEvents(@Query() query: unknown) {
    return this.log.list(listQuery('events', query));
  }

  @Get('events/at/:position')
  @ApiOperation({ summary: 'One event of the log, by its position, with its cause and its effects' })
  @ApiAnswer(eventInContext)
  async eventAt(@Param('position') written: string) {
    const { position } = checkInput(z.object({ position: logPosition }), { position: written });
    return found(await this.log.inContext(position), `event at position ${position}`, 'events');
  }

  @Get('events/:id')
  @ApiOperation({
    summary: 'One event of the log, by its id',
    description: 'Target of `dataref` in a Kafka message whose data are too long.',
  })
  @ApiAnswer(eventView)
  async oneEvent(@Param('id') id: string) {
    return found(await this.log.one(id), `event ${id}`, 'events');
  }

  @Get('notices')
  @ApiOperation({ summary: 'Notices for administrators, latest first' })
  @ApiParameters(lists.notices)
  @ApiAnswer(noticePage)
  listNotices(@Query() query: unknown) {
    return this.log.notices(listQuery('notices', query));
  }

  @Get('allocations')
  @ApiOperation({ summary: 'Allocations as the cluster knows them, by id' })
  @ApiParameters(lists.allocations)
  @ApiAnswer(allocationPage)
  async listAllocations(@Query() query: unknown) {
    const page = listQuery('allocations', query);
    const items = await this.cluster.allocations(page);
    return { items, ...(items.length === page.limit ? { next: items.at(-1)!.id } : {}) };
  }

  @Get('applications')
  @ApiOperation({
    summary: 'Applications that have allocations, with what these have together, by id',
    description: 'With `queue`, only their allocations in that queue and below it count.',
  })
  @ApiParameters(lists.applications)
  @ApiAnswer(applicationPage)
  async listApplications(@Query() query: unknown) {
    const page = listQuery('applications', query);
    const items = await this.cluster.applications(page);
    return {
      items: items.map(({ startedAt, ...item }) => ({ ...item, startedAt: startedAt.toISOString() })),
      ...(items.length === page.limit ? { next: items.at(-1)!.id } : {}),
    };
  }

  @Get('allocations/:id')
  @ApiOperation({ summary: 'One allocation as the cluster knows it' })
  @ApiParameters(lists.one)
  @ApiAnswer(allocationView)
  async oneAllocation(@Param('id') id: string, @Query() query: unknown) {
    const { partition } = listQuery('one', query);
    return found(
      await this.cluster.allocation(partition, id),
      `allocation ${id} in partition ${partition}`,
      `allocations${partitionOptionText(partition)}`,
    );
  }
}

function found<T>(value: T | undefined, what: string, noun: string, archived?: string): T {
  if (value === undefined) {
    if (archived) throw notFound(archived);
    throw notFound(`There is no ${what}.`, `List them: curtail get ${noun}`);
  }
  return value;
}
