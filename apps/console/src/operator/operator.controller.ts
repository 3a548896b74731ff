import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import {
  approved,
  cancelled,
  changeDecided,
  changeEffect,
  commanded,
  modeSet,
  runRequested,
  stopCleared,
  stopList,
  stopSet,
  versionNumber,
} from '#contracts/api';
import { setStops } from '#holds';
import { ApiAnswer, ApiParameters, checkInput, schemaOf, senderField } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { Modes } from '../modes/modes.js';
import { allowUnknown, KnownPlaces } from './known-places.js';
import { Operator } from './operator.js';
import { RequestRun } from './request-run.js';
import { TwoPerson } from './two-person.js';

// Partitions and queues are stored in lower case. Accept any case: a stop with a wrong letter would stop nothing.
const partition = z.string().trim().toLowerCase().min(1).max(64).default('default');
const queue = z.string().trim().toLowerCase().min(1).max(4096).optional();

const command = z.strictObject({
  by: senderField(),
  reason: z.string().max(2000).optional(),
});
const stop = z.strictObject({
  ...command.shape,
  partition,
  queue: queue.describe('Absent: the whole partition.'),
  allowUnknown,
});
const cleared = z.strictObject({
  partition,
  queue: queue.describe('Absent: all of the partition.'),
  by: senderField(),
});
const request = z.strictObject({
  ...command.shape,
  partition,
  atOnce: z.boolean().default(false).describe('true: without the delay of the queue'),
  dryRun: z
    .boolean()
    .default(false)
    .describe('true: only check whether a run could follow; nothing is requested'),
});
const mode = z.strictObject({
  mode: z.enum(['observe', 'enforce']),
  by: senderField(),
  allowUnknown: allowUnknown.describe(
    'true: also a partition that does not exist yet. Otherwise it is refused.',
  ),
});

const versionIn = (version: string): number =>
  checkInput(z.object({ version: versionNumber }), { version }).version;

@ApiTags('operator')
@Controller('v1')
export class OperatorController {
  constructor(
    private readonly operator: Operator,
    private readonly requests: RequestRun,
    private readonly places: KnownPlaces,
    private readonly modes: Modes,
    private readonly twoPerson: TwoPerson,
    @Inject(OPERATOR_DATABASE) private readonly db: DataSource,
  ) {}

  @Post('enforcements/:enforcement/approve')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Approve a run that waits because of its size or a ceiling',
    description: 'If it waits for a ceiling, all runs of its configuration are approved with it (`change`).',
  })
  @ApiBody({ schema: schemaOf(command), required: false })
  @ApiAnswer(approved)
  async approve(@Param('enforcement') enforcement: string, @Body() body: unknown) {
    const { by } = checkInput(command, body ?? {});
    await this.twoPerson.assertForRun(enforcement);
    return this.operator.approve(enforcement, by);
  }

  @Post('enforcements/:enforcement/reject')
  @HttpCode(200)
  @ApiOperation({ summary: 'Reject a run that waits for approval; nothing is evicted' })
  @ApiBody({ schema: schemaOf(command), required: false })
  @ApiAnswer(commanded)
  reject(@Param('enforcement') enforcement: string, @Body() body: unknown) {
    const { by, reason } = checkInput(command, body ?? {});
    return this.operator.reject(enforcement, by, reason);
  }

  @Post('enforcements/:enforcement/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Cancel a run, pending or in progress' })
  @ApiBody({ schema: schemaOf(command), required: false })
  @ApiAnswer(cancelled)
  cancel(@Param('enforcement') enforcement: string, @Body() body: unknown) {
    const { by, reason } = checkInput(command, body ?? {});
    return this.operator.cancel(enforcement, by, reason);
  }

  @Get('partitions/:partition/configurations/:version/effect')
  @ApiOperation({
    summary: 'What the runs that one version of the configuration causes have evicted and would evict',
  })
  @ApiAnswer(changeEffect)
  effectOfChange(@Param('partition') partition: string, @Param('version') written: string) {
    return this.operator.changes.effect(partition.toLowerCase(), versionIn(written));
  }

  @Post('partitions/:partition/configurations/:version/approve')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Approve all runs that one version of the configuration causes',
    description:
      'Those that wait, and those that are still to start until `until`: 24 hours after the last pending clock of the version is due. They need no ' +
      'approval for their size, and no ceiling of the partition holds them.',
  })
  @ApiBody({ schema: schemaOf(command), required: false })
  @ApiAnswer(changeDecided)
  approveChange(
    @Param('partition') partition: string,
    @Param('version') written: string,
    @Body() body: unknown,
  ) {
    return this.decide({ partition, written, approved: true }, body);
  }

  @Post('partitions/:partition/configurations/:version/reject')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reject all runs that one version of the configuration causes',
    description: 'Those that wait or evict end at once, and those that are still to start evict nothing.',
  })
  @ApiBody({ schema: schemaOf(command), required: false })
  @ApiAnswer(changeDecided)
  rejectChange(
    @Param('partition') partition: string,
    @Param('version') written: string,
    @Body() body: unknown,
  ) {
    return this.decide({ partition, written, approved: false }, body);
  }

  private async decide(
    { partition, written, approved }: { partition: string; written: string; approved: boolean },
    body: unknown,
  ) {
    const { by, reason } = checkInput(command, body ?? {});
    const version = versionIn(written);
    if (approved) await this.twoPerson.assertForVersion(partition.toLowerCase(), version);
    return this.operator.changes.decide({
      partition: partition.toLowerCase(),
      version,
      approved,
      by,
      reason,
    });
  }

  @Post('queues/:queue/enforce')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Request a run of a queue that is above its quota',
    description:
      'After its delay, or at once. For a queue whose last run was stopped, rejected or cancelled, or freed too little. ' +
      'Switch, stops, observe mode and approval hold as for any run.',
  })
  @ApiBody({ schema: schemaOf(request), required: false })
  @ApiAnswer(runRequested)
  async enforce(@Param('queue') path: string, @Body() body: unknown) {
    const { partition, atOnce, by, reason, dryRun } = checkInput(request, body ?? {});
    const queue = path.toLowerCase();
    const requested = await this.requests.request({ partition, queue, atOnce, by, reason, dryRun });
    return { partition, queue, atOnce, ...requested };
  }

  @Post('kill-switch')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Stop all evictions of a partition, or of a queue and everything below it',
    description:
      'A queue exists if the configuration in force has it, or if it has work. `configured`: whether the configuration in force has it.',
  })
  @ApiBody({ schema: schemaOf(stop) })
  @ApiAnswer(stopSet)
  async stop(@Body() body: unknown) {
    const request = checkInput(stop, body ?? {});
    const configured = await this.places.check(request, { command: 'stop', done: 'stopped' });
    await this.operator.stop(request.partition, request.queue, request.by, request.reason);
    return { partition: request.partition, queue: request.queue ?? null, stopped: true, configured };
  }

  @Get('kill-switch')
  @ApiOperation({ summary: 'The kill switches in effect' })
  @ApiAnswer(stopList)
  async stopped() {
    return { items: await setStops(this.db) };
  }

  @Delete('kill-switch')
  @ApiOperation({ summary: 'Clear kill switches' })
  @ApiParameters(cleared)
  @ApiAnswer(stopCleared)
  async resume(@Query() query: unknown) {
    const request = checkInput(cleared, query);
    return {
      partition: request.partition,
      queue: request.queue ?? null,
      cleared: await this.operator.resume(request.partition, request.queue, request.by),
    };
  }

  @Put('partitions/:partition/mode')
  @ApiOperation({
    summary: 'observe: plan and evict nothing; enforce: evict',
    description:
      '`enforce` is refused with 409 while a service runs with `CURTAIL_MODE=observe`: it would not count. ' +
      'A partition exists if a configuration, a mode, a stop or a report of a scheduler names it, or if it has work.',
  })
  @ApiBody({ schema: schemaOf(mode) })
  @ApiAnswer(modeSet)
  async setMode(@Param('partition') name: string, @Body() body: unknown) {
    const { mode: wanted, by, allowUnknown } = checkInput(mode, body ?? {});
    const { partition: named } = checkInput(z.object({ partition }), { partition: name });
    const place = { partition: named, allowUnknown };
    const configured = await this.places.check(place, { command: `mode ${wanted}`, done: 'set' });
    await this.modes.assertCounts(named, wanted);
    await this.operator.setMode(named, wanted, by);
    return { partition: named, mode: wanted, configured };
  }
}
