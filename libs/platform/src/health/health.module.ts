import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { ReadyAnswer } from './ready-answer.js';
import { ServersDown } from './servers-down.js';

@Module({
  // Its own log would repeat every failed probe; ReadyAnswer logs changes.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [ReadyAnswer, ServersDown],
  exports: [ServersDown],
})
export class HealthModule {}
