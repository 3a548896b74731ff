import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { LiveController } from './live.controller.js';
import { LiveFeed } from './live-feed.js';
import { ShareAnswers } from './share-answers.js';

/** What pages that stay open need: events as they come, and answers that they share. */
@Module({ controllers: [LiveController], providers: [LiveFeed] })
export class LiveModule implements NestModule {
  configure(routes: MiddlewareConsumer): void {
    routes.apply(ShareAnswers).forRoutes('v1/*path');
  }
}
