import { Body, Controller, Get, HttpCode, Inject, Optional, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { assertPartition, InventoryControl } from '#clusters';
import { inventoryAcceptedAnswer, inventoryResetAnswer, inventoryStatus } from '#contracts/api';
import {
  ApiAnswer,
  ApiParameters,
  ApiProblem,
  checkInput,
  ProblemException,
  schemaOf,
  senderField,
} from '#platform';
import { type CommandPlace, recordCommand } from '../commands/record-command.js';

const partition = z.string().trim().toLowerCase().min(1).max(64);
const of = z.strictObject({ partition: partition.optional().describe('Absent: all.') });
const change = z.strictObject({
  partition: partition.default('default'),
  by: senderField(),
});

/** Clusters known from the reports of their schedulers (docs/how-to/connect-a-scheduler.md, "Reports that are not taken"). */
@ApiTags('inventory')
@Controller('v1/inventory')
export class InventoryController {
  constructor(
    // An accepted listing may change very many rows: the connections of queries time out too soon for that, and on the operators'
    // connections it would delay a stop.
    private readonly db: DataSource,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Clusters that report over Kafka, and problems with their reports',
    description:
      '`known`: whether plans are made and work is evicted by it. `unread`: reports on Kafka that are not applied yet.',
  })
  @ApiParameters(of)
  @ApiAnswer(inventoryStatus)
  @ApiProblem(409, 'No cluster sends reports: the one of this installation is simulated.')
  async status(@Query() query: unknown) {
    const { partition } = checkInput(of, query);
    const inventory = this.present();
    if (partition !== undefined) await assertPartition(this.db, partition);
    return inventory.status(partition);
  }

  @Post('accept')
  @HttpCode(200)
  @ApiOperation({ summary: 'Apply the held listing: allocations missing from it are removed' })
  @ApiBody({ schema: schemaOf(change), required: false })
  @ApiAnswer(inventoryAcceptedAnswer)
  async accept(@Body() body: unknown) {
    const { partition, by } = checkInput(change, body ?? {});
    const inventory = this.present();
    return recordCommand(this.db, placeOf(partition), async (tx) => {
      await assertPartition(tx, partition);
      const accepted = await inventory.accept(tx, partition);
      if (accepted === undefined) throw nothingHeld(partition);
      const data = { partition, ...accepted };
      return { event: { name: 'InventoryAccepted', data: { ...data, by } }, answer: data };
    });
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Reset the sequences of a partition, so that its scheduler may start from any number',
    description: 'The partition is unknown until the next complete listing. Its recorded content stays.',
  })
  @ApiBody({ schema: schemaOf(change), required: false })
  @ApiAnswer(inventoryResetAnswer)
  async reset(@Body() body: unknown) {
    const { partition, by } = checkInput(change, body ?? {});
    const inventory = this.present();
    return recordCommand(this.db, placeOf(partition), async (tx) => {
      await assertPartition(tx, partition);
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
      title: 'No cluster sends reports',
      status: 409,
      detail: 'The cluster of this installation is simulated: there are no reports.',
      remedy: 'Set CURTAIL_CLUSTER=inventory for clusters whose schedulers report over Kafka.',
    });
  }
}

/** A separate stream: the eviction gate and every stop wait for commands of the control stream. */
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
    detail: `No listing of partition ${partition} waits to be accepted.`,
    remedy: 'Check the reports: curtail inventory status',
  });
}

function neverReported(partition: string): ProblemException {
  return new ProblemException({
    code: 'unknown-partition',
    title: 'The partition has no reports',
    status: 404,
    detail: `There are no reports of partition ${partition}.`,
    remedy: 'List the partitions with reports: curtail inventory status',
  });
}
