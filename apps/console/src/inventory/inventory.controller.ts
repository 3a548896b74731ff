import { InventoryControl } from '@curtail/clusters';
import { checkInput, ProblemException, schemaOf } from '@curtail/platform';
import { Body, Controller, Get, HttpCode, Inject, Optional, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type CommandPlace, recordCommand } from '../operator/record-command.js';

const partition = z.string().trim().toLowerCase().min(1).max(64);
const of = z.strictObject({ partition: partition.optional() });
const change = z.strictObject({
  partition: partition.default('default'),
  by: z.string().trim().min(1).max(200).default('operator').describe('who says it'),
});

/** Clusters that are known by the reports of their schedulers (docs/how-to/connect-a-scheduler.md, "Reports that are not taken"). */
@ApiTags('inventory')
@Controller('v1/inventory')
export class InventoryController {
  constructor(
    // An accepted listing may change very many rows: the connections of queries give up too soon for that, and on those of the
    // operators a stop would wait for it.
    @Inject(DataSource) private readonly db: DataSource,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'What is known of the clusters that report over Kafka, and what is wrong with their reports',
    description:
      '`known`: whether plans are made and work is evicted by it. `unread`: reports on Kafka that are not applied yet.',
  })
  @ApiQuery({ name: 'partition', required: false, description: 'absent = all' })
  status(@Query() query: unknown) {
    return this.present().status(checkInput(of, query).partition);
  }

  @Post('accept')
  @HttpCode(200)
  @ApiOperation({ summary: 'Apply the listing that is held: what it lacks is gone' })
  @ApiBody({ schema: schemaOf(change), required: false })
  async accept(@Body() body: unknown) {
    const { partition, by } = checkInput(change, body ?? {});
    const inventory = this.present();
    return recordCommand(this.db, placeOf(partition), async (tx) => {
      const accepted = await inventory.accept(tx, partition);
      if (accepted === undefined) throw nothingHeld(partition);
      const data = { partition, ...accepted };
      return { event: { name: 'InventoryAccepted', data: { ...data, by } }, answer: data };
    });
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Forget the sequences of a partition, so that its scheduler may begin again with any',
    description: 'The partition is not known until the next whole listing. What is known of it stays.',
  })
  @ApiBody({ schema: schemaOf(change), required: false })
  async reset(@Body() body: unknown) {
    const { partition, by } = checkInput(change, body ?? {});
    const inventory = this.present();
    return recordCommand(this.db, placeOf(partition), async (tx) => {
      const before = await inventory.reset(tx, partition);
      if (before === undefined) throw neverReported(partition);
      const data = { partition, ...before };
      return { event: { name: 'InventoryReset', data: { ...data, by } }, answer: data };
    });
  }

  private present(): InventoryControl {
    if (this.inventory) return this.inventory;
    throw new ProblemException({
      code: 'no-inventory',
      title: 'No cluster reports here',
      status: 409,
      detail: 'The cluster of this installation is simulated: there are no reports.',
      remedy: 'Set CURTAIL_CLUSTER=inventory for clusters whose schedulers report over Kafka.',
    });
  }
}

/** A stream of its own: the gate of evictions and every stop wait for commands of the control stream. */
const placeOf = (partition: string): CommandPlace => ({
  partition,
  stream: `inventory-${partition}`,
  key: partition,
});

function nothingHeld(partition: string): ProblemException {
  return new ProblemException({
    code: 'no-held-listing',
    title: 'No listing is held',
    status: 409,
    detail: `No listing of the partition ${partition} waits to be accepted.`,
    remedy: 'See what is wrong with the reports: curtail inventory status',
  });
}

function neverReported(partition: string): ProblemException {
  return new ProblemException({
    code: 'unknown-partition',
    title: 'Nothing was reported of the partition',
    status: 404,
    detail: `Nothing was ever reported of the partition ${partition}.`,
    remedy: 'See of which there are reports: curtail inventory status',
  });
}
