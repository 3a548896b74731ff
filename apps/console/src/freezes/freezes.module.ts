import { Body, Controller, Delete, Get, HttpCode, Module, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { freezeList, freezeSetAnswer, freezesCleared } from '#contracts/api';
import { ApiAnswer, ApiParameters, checkInput, schemaOf, senderField } from '#platform';
import { allowUnknown, KnownPlaces } from '../operator/known-places.js';
import { OperatorModule } from '../operator/operator.module.js';
import { Freezes } from './freezes.js';

const partition = z.string().trim().toLowerCase().min(1).max(64);
const queue = z.string().trim().toLowerCase().min(1).max(4096).optional();
const text = z.string().trim().min(1).max(500).optional();

const freeze = z.strictObject({
  partition: partition.default('default'),
  queue: queue.describe('The queue and all below it. Absent: the whole partition.'),
  from: text.describe(
    'The start, such as 2026-12-24T18:00Z, or a local time of timeZone; with a rule the first start, a local time. Absent: now.',
  ),
  until: text.describe('The end of a freeze without a rule.'),
  duration: text.describe(
    'The length by ISO 8601, such as PT8H or P2DT12H, in place of until, or of each occurrence of a rule.',
  ),
  rule: text.describe('A rule of RFC 5545, such as FREQ=WEEKLY;BYDAY=FR. Absent: once.'),
  timeZone: text.describe(
    'The time zone of a rule, and of times without an offset, by its IANA name, such as Europe/Berlin.',
  ),
  by: senderField(),
  reason: z.string().max(2000).optional(),
  allowUnknown,
});
const wanted = z.strictObject({ partition: partition.optional().describe('Absent: all.') });
const cleared = z.strictObject({
  partition: partition.default('default'),
  queue: queue.describe('Absent: all of the partition.'),
  freeze: text.describe('Only this one, by its id.'),
  by: senderField(),
});

@ApiTags('operator')
@Controller('v1/freezes')
class FreezesController {
  constructor(
    private readonly freezes: Freezes,
    private readonly places: KnownPlaces,
  ) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Freeze a queue and everything below it, or a partition: no run starts in a window of time',
    description:
      'Clocks that fall due in the window start at its end. A run that is in progress when the window begins continues. ' +
      'A queue exists if the configuration in force has it, or if it has work. `configured`: whether the configuration in force has it.',
  })
  @ApiBody({ schema: schemaOf(freeze) })
  @ApiAnswer(freezeSetAnswer)
  async set(@Body() body: unknown) {
    const { partition, queue, reason, allowUnknown, ...request } = checkInput(freeze, body ?? {});
    const place = { partition, queue, allowUnknown };
    const configured = await this.places.check(place, { command: 'freeze', done: 'frozen' });
    return { ...(await this.freezes.set({ ...request, partition, queue, reason })), configured };
  }

  @Get()
  @ApiOperation({ summary: 'The freezes that are in effect, or will be' })
  @ApiParameters(wanted)
  @ApiAnswer(freezeList)
  async list(@Query() query: unknown) {
    return { items: await this.freezes.list(checkInput(wanted, query).partition) };
  }

  @Delete()
  @ApiOperation({ summary: 'Clear freezes of operators; clocks that waited for their end are due at once' })
  @ApiParameters(cleared)
  @ApiAnswer(freezesCleared)
  async clear(@Query() query: unknown) {
    const { partition, queue, freeze, by } = checkInput(cleared, query);
    return { partition, ...(await this.freezes.clear({ partition, queue, freeze, by })) };
  }
}

/** Windows of time in which no run starts. */
@Module({
  imports: [OperatorModule],
  controllers: [FreezesController],
  providers: [Freezes],
  exports: [Freezes],
})
export class FreezesModule {}
