import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccessController } from './access/access.controller.js';
import { AnswersController } from './answers/answers.controller.js';
import { OwnerAnswers } from './answers/owner-answers.js';
import { TakeAnswers } from './answers/take-answers.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { DeadLetters } from './dead-letters/dead-letters.js';
import { ExplainController } from './explain/explain.controller.js';
import { Explain } from './explain/explain.js';
import { ForeseenRuns } from './explain/foreseen-runs.js';
import { LinksController } from './explain/links.controller.js';
import { PlanGivenApart } from './explain/plan-given-apart.js';
import { FreezesController } from './freezes/freezes.controller.js';
import { Freezes } from './freezes/freezes.js';
import { HistoryController } from './history/history.controller.js';
import { QueueHistories } from './history/queue-history.js';
import { InventoryController } from './inventory/inventory.controller.js';
import { LiveController } from './live/live.controller.js';
import { LiveFeed } from './live/live-feed.js';
import { ShareAnswers } from './live/share-answers.js';
import { Modes } from './modes/modes.js';
import { KnownPlaces } from './operator/known-places.js';
import { OperatorController } from './operator/operator.controller.js';
import { Operator } from './operator/operator.js';
import { RequestRun } from './operator/request-run.js';
import { Configurations } from './queries/configurations.js';
import { Enforcements } from './queries/enforcements.js';
import { Feeds } from './queries/feeds.js';
import { ForeseenOwners } from './queries/foreseen.js';
import { Log } from './queries/log.js';
import { Names } from './queries/names.js';
import { Partitions } from './queries/partitions.js';
import { Pools } from './queries/pools.js';
import { QueriesController } from './queries/queries.controller.js';
import { Queues } from './queries/queues.js';
import { Report } from './queries/report.js';
import { Rounds } from './queries/rounds.js';
import { Timers } from './queries/timers.js';
import { AddMissingVictims } from './read-model/add-missing-victims.js';
import { FoldEvents } from './read-model/fold-events.js';
import { MeasureEvents } from './read-model/measure-events.js';
import { ArchiveLog } from './replay/archive/archive-log.js';
import { ArchiveController } from './replay/archive.controller.js';
import { ReplayDigests } from './replay/digest/replay-digests.js';
import { RepublishEvents } from './replay/kafka/republish-events.js';
import { BuildProjections } from './replay/projections/build-projections.js';
import { RemakeApart } from './replay/remake/remake-apart.js';
import { ReplayController } from './replay/replay.controller.js';
import { Replays } from './replay/replays.js';
import { RepublishController } from './replay/republish.controller.js';
import { ReplayShadows } from './replay/shadow/replay-shadows.js';
import { SettingsController } from './settings/settings.controller.js';
import { Settings } from './settings/settings.js';
import { QueuesAbove } from './status/queues-above.js';
import { StatusController } from './status/status.controller.js';
import { Status } from './status/status.js';
import { MeasureWaiting } from './waiting/measure-waiting.js';
import { Waiting } from './waiting/waiting.js';
import { CallWebhook } from './webhook/call-webhook.js';
import { WebhookController } from './webhook/webhook.controller.js';

/** The read side, the commands of operators, and replays of the log. It has no driver that could evict. */
@Module({
  controllers: [
    AccessController,
    AnswersController,
    ArchiveController,
    QueriesController,
    ExplainController,
    FoldEvents,
    FreezesController,
    HistoryController,
    OperatorController,
    InventoryController,
    LinksController,
    LiveController,
    DeadLettersController,
    ReplayController,
    RepublishController,
    SettingsController,
    StatusController,
    TakeAnswers,
    WebhookController,
  ],
  providers: [
    AddMissingVictims,
    ArchiveLog,
    BuildProjections,
    CallWebhook,
    Configurations,
    DeadLetters,
    Enforcements,
    Explain,
    Feeds,
    ForeseenOwners,
    ForeseenRuns,
    Freezes,
    LiveFeed,
    Report,
    Log,
    MeasureWaiting,
    MeasureEvents,
    Modes,
    Names,
    Operator,
    OwnerAnswers,
    Partitions,
    Pools,
    QueueHistories,
    Queues,
    RemakeApart,
    ReplayDigests,
    Replays,
    ReplayShadows,
    RepublishEvents,
    KnownPlaces,
    RequestRun,
    QueuesAbove,
    Rounds,
    Settings,
    Status,
    Timers,
    Waiting,
    PlanGivenApart,
  ],
  exports: [AddMissingVictims, CallWebhook, MeasureWaiting, Replays],
})
export class ConsoleModule implements NestModule {
  configure(routes: MiddlewareConsumer): void {
    routes.apply(ShareAnswers).forRoutes('v1/*path');
  }
}
