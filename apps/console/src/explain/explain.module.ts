import { Module } from '@nestjs/common';
import { QueueHistories } from '../history/queue-history.js';
import { QueriesModule } from '../queries/queries.module.js';
import { ReplayModule } from '../replay/replay.module.js';
import { ExplainController, HistoryController } from './explain.controller.js';
import { Explain } from './explain.js';
import { ForeseenRuns } from './foreseen-runs.js';
import { LinksController } from './links.controller.js';
import { PlanGivenInThread } from './plan-given-in-thread.js';

/** Why something was evicted or kept, the links that show it to owners, and the histories of queues. */
@Module({
  imports: [QueriesModule, ReplayModule],
  controllers: [ExplainController, HistoryController, LinksController],
  providers: [Explain, ForeseenRuns, PlanGivenInThread, QueueHistories],
})
export class ExplainModule {}
