import { Module } from '@nestjs/common';
import { ReadAhead } from './ahead/read-ahead.js';
import { CheckClock } from './foresight/check-clock.js';
import { Foresee } from './foresight/foresee.js';
import { PlanEnforcements } from './plan-enforcements.js';
import { PlanRound } from './rounds/plan-round.js';
import { PlanRounds } from './rounds/plan-rounds.js';

/** Plans runs and rounds: snapshot in, victims out. */
@Module({
  controllers: [PlanEnforcements],
  providers: [CheckClock, Foresee, PlanRound, PlanRounds, ReadAhead],
  exports: [Foresee, PlanRounds, ReadAhead],
})
export class PlannerModule {}
