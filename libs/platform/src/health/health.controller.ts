import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ReadyAnswer } from './ready-answer.js';

@ApiTags('health')
@Controller()
export class HealthController {
  constructor(private readonly ready: ReadyAnswer) {}

  @Get('healthz')
  @ApiOperation({ summary: 'Whether the process lives' })
  lives(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'Whether everything is there that Curtail needs; 503 names what is not' })
  async isReady(): Promise<{ status: 'ok' }> {
    await this.ready.assertReady();
    return { status: 'ok' };
  }
}
