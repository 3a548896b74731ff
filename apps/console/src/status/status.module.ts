import { Module } from '@nestjs/common';
import { FreezesModule } from '../freezes/freezes.module.js';
import { QueriesModule } from '../queries/queries.module.js';
import { QueuesAbove } from './queues-above.js';
import { StatusController } from './status.controller.js';
import { Status } from './status.js';

/** The state of the whole, and what needs attention. */
@Module({
  imports: [FreezesModule, QueriesModule],
  controllers: [StatusController],
  providers: [QueuesAbove, Status],
})
export class StatusModule {}
