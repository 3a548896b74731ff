import { Module } from '@nestjs/common';
import { Modes } from '../modes/modes.js';
import { AddMissingVictims } from '../read-model/add-missing-victims.js';
import { FoldEvents } from '../read-model/fold-events.js';
import { MeasureEvents } from '../read-model/measure-events.js';
import { MeasureWaiting } from '../waiting/measure-waiting.js';
import { Waiting } from '../waiting/waiting.js';
import { Configurations } from './configurations.js';
import { Enforcements } from './enforcements.js';
import { Feeds } from './feeds.js';
import { ForeseenOwners } from './foreseen.js';
import { Log } from './log.js';
import { Names } from './names.js';
import { Partitions } from './partitions.js';
import { Pools } from './pools.js';
import { QueriesController } from './queries.controller.js';
import { Queues } from './queues.js';
import { Report } from './report.js';
import { Rounds } from './rounds.js';
import { Timers } from './timers.js';

/** The read model, which events fill, and the queries of it and of the log. */
@Module({
  controllers: [FoldEvents, QueriesController],
  providers: [
    AddMissingVictims,
    Configurations,
    Enforcements,
    Feeds,
    ForeseenOwners,
    Log,
    MeasureEvents,
    MeasureWaiting,
    Modes,
    Names,
    Partitions,
    Pools,
    Queues,
    Report,
    Rounds,
    Timers,
    Waiting,
  ],
  exports: [Enforcements, Log, Modes, Partitions, Pools, Queues, Rounds, Timers, Waiting],
})
export class QueriesModule {}
