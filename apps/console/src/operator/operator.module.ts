import { Module } from '@nestjs/common';
import { AccessController } from '../access/access.controller.js';
import { KeysController } from '../access/keys.controller.js';
import { DeadLettersController } from '../dead-letters/dead-letters.controller.js';
import { DeadLetters } from '../dead-letters/dead-letters.js';
import { InventoryController } from '../inventory/inventory.controller.js';
import { QueriesModule } from '../queries/queries.module.js';
import { KnownPlaces } from './known-places.js';
import { OperatorController } from './operator.controller.js';
import { Operator } from './operator.js';
import { RequestRun } from './request-run.js';

/** The commands of operators: stops, modes, runs, dead letters, the inventory. */
@Module({
  imports: [QueriesModule],
  controllers: [
    AccessController,
    KeysController,
    DeadLettersController,
    InventoryController,
    OperatorController,
  ],
  providers: [DeadLetters, KnownPlaces, Operator, RequestRun],
  exports: [KnownPlaces],
})
export class OperatorModule {}
