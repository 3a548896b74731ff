import { Controller, Get, Module } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { TerminusModule } from '@nestjs/terminus';
import { alive, ready } from '#contracts/api';
import { Metrics } from '../metrics/metrics.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { ApiAnswer } from '../openapi/api-answer.js';
import { Readiness } from './readiness.js';
import { ReadyAnswer } from './ready-answer.js';
import { ServersDown } from './servers-down.js';

@ApiTags('health')
@Controller()
class HealthController {
  constructor(
    private readonly ready: ReadyAnswer,
    private readonly readiness: Readiness,
  ) {}

  @Get('healthz')
  @ApiOperation({ summary: 'Whether the process is alive' })
  @ApiAnswer(alive)
  lives(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({
    summary: 'Whether everything that Curtail needs is available; 503 names what is not',
    description: 'The answer has `waits` while consumers of this process wait for one of a newer release.',
  })
  @ApiAnswer(ready)
  async isReady(): Promise<{ status: 'ok'; waits?: string[] }> {
    await this.ready.assertReady();
    const waits = this.readiness.remarked();
    return { status: 'ok', ...(waits.length > 0 ? { waits } : {}) };
  }
}

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
