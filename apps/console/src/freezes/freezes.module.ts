import { Module } from '@nestjs/common';
import { OperatorModule } from '../operator/operator.module.js';
import { FreezesController } from './freezes.controller.js';
import { Freezes } from './freezes.js';

/** Windows of time in which no run starts. */
@Module({
  imports: [OperatorModule],
  controllers: [FreezesController],
  providers: [Freezes],
  exports: [Freezes],
})
export class FreezesModule {}
