import { Module } from '@nestjs/common';
import { ExplainController } from './explain/explain.controller.js';
import { Explain } from './explain/explain.js';
import { MeasureEvents } from './measure-events.js';
import { OperatorController } from './operator/operator.controller.js';
import { Operator } from './operator/operator.js';
import { Enforcements } from './queries/enforcements.js';
import { Log } from './queries/log.js';
import { QueriesController } from './queries/queries.controller.js';
import { Queues } from './queries/queues.js';
import { Timers } from './queries/timers.js';
import { FoldEvents } from './read-model/fold-events.js';
import { ReplayController } from './replay/replay.controller.js';
import { ReplayDigests } from './replay/replay-digests.js';

/** The read side, the operator's say, and the reading again of the log. It has no driver that could evict. */
@Module({
  controllers: [QueriesController, ExplainController, OperatorController, ReplayController],
  providers: [FoldEvents, Enforcements, Explain, Log, MeasureEvents, Operator, Queues, ReplayDigests, Timers],
  exports: [FoldEvents],
})
export class ConsoleModule {}
