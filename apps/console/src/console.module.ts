import { Module } from '@nestjs/common';
import { OwnersModule } from './answers/owners.module.js';
import { ChainModule } from './chain/chain.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { FreezesModule } from './freezes/freezes.module.js';
import { LiveModule } from './live/live.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { QueriesModule } from './queries/queries.module.js';
import { ReplayModule } from './replay/replay.module.js';
import { SettingsModule } from './settings/settings.module.js';
import { StatusModule } from './status/status.module.js';
import { NotificationsModule } from './webhook/notifications.module.js';

/** The read side, the commands of operators, and replays of the log. It has no driver that could evict. */
@Module({
  imports: [
    ChainModule,
    ExplainModule,
    FreezesModule,
    LiveModule,
    NotificationsModule,
    OperatorModule,
    OwnersModule,
    QueriesModule,
    ReplayModule,
    SettingsModule,
    StatusModule,
  ],
})
export class ConsoleModule {}
