import { Module } from '@nestjs/common';
import { PlanEnforcements } from './plan-enforcements.js';
import { PlanRound } from './rounds/plan-round.js';
import { PlanRounds } from './rounds/plan-rounds.js';

/** Plans runs and rounds: snapshot in, victims out. */
@Module({
  providers: [PlanEnforcements, PlanRound, PlanRounds],
  exports: [PlanEnforcements, PlanRounds],
})
export class PlannerModule {}
