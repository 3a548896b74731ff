import { Module } from '@nestjs/common';
import { PlacesKnown } from '#platform';
import { AccessController, LoginController, WhoamiController } from '../access/access.controller.js';
import { AuditController } from '../access/audit.controller.js';
import { KeysController } from '../access/keys.controller.js';
import { PlacesOfRuns } from '../access/places.js';
import { DeadLettersController } from '../dead-letters/dead-letters.controller.js';
import { DeadLetters } from '../dead-letters/dead-letters.js';
import { InventoryController } from '../inventory/inventory.controller.js';
import { QueriesModule } from '../queries/queries.module.js';
import { KnownPlaces } from './known-places.js';
import { OperatorController } from './operator.controller.js';
import { Operator } from './operator.js';
import { RequestRun } from './request-run.js';
import { TwoPerson } from './two-person.js';

/** The commands of operators: stops, modes, runs, dead letters, the inventory. */
@Module({
  imports: [QueriesModule],
  controllers: [
    AccessController,
    KeysController,
    LoginController,
    WhoamiController,
    AuditController,
    DeadLettersController,
    InventoryController,
    OperatorController,
  ],
  providers: [
    DeadLetters,
    KnownPlaces,
    Operator,
    RequestRun,
    TwoPerson,
    PlacesOfRuns,
    { provide: PlacesKnown, useExisting: PlacesOfRuns },
  ],
  exports: [KnownPlaces],
})
export class OperatorModule {}
