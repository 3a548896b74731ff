import { Module } from '@nestjs/common';
import { CheckClock } from './foresight/check-clock.js';
import { Foresee } from './foresight/foresee.js';
import { PlanEnforcements } from './plan-enforcements.js';
import { ReadAhead } from './read-ahead.js';
import { PlanRound } from './rounds/plan-round.js';
import { PlanRounds } from './rounds/plan-rounds.js';

/** Plans runs and rounds: snapshot in, victims out. */
@Module({
  controllers: [PlanEnforcements],
  providers: [CheckClock, Foresee, PlanRound, PlanRounds, ReadAhead],
  exports: [Foresee, PlanRounds, ReadAhead],
})
export class PlannerModule {}
