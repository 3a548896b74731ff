import { Controller, Get, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Metrics } from './metrics.js';

@ApiExcludeController()
@Controller('metrics')
class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async all(@Res() response: Response): Promise<void> {
    const text = await this.metrics.registry.metrics();
    response.setHeader('Content-Type', this.metrics.registry.contentType);
    response.end(text);
  }
}

@Module({ controllers: [MetricsController], providers: [Metrics], exports: [Metrics] })
export class MetricsModule {}
