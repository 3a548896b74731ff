import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { ReadyAnswer } from './ready-answer.js';

@Module({
  // Its own log would tell every failed probe again; changes are logged by ReadyAnswer.
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [ReadyAnswer],
})
export class HealthModule {}
