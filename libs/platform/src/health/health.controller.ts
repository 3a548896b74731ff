import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { alive, ready } from '#contracts/api';
import { ApiAnswer } from '../openapi/api-answer.js';
import { Readiness } from './readiness.js';
import { ReadyAnswer } from './ready-answer.js';

@ApiTags('health')
@Controller()
export class HealthController {
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
