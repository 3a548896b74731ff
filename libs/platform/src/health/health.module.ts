import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Metrics } from '../metrics/metrics.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { HealthController } from './health.controller.js';
import { ReadyAnswer } from './ready-answer.js';
import { ServersDown } from './servers-down.js';

/** Scrapes wait some seconds at most. */
const longestAskedMs = 2000;

@Module({
  // Its own log would repeat every failed probe; ReadyAnswer logs changes.
  imports: [MetricsModule, TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [ReadyAnswer, ServersDown],
  exports: [ServersDown],
})
export class HealthModule {
  constructor(metrics: Metrics, servers: ServersDown) {
    metrics.servers.askWith(() => servers.byName(longestAskedMs));
  }
}
