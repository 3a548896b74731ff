import { Module } from '@nestjs/common';
import { PlanEnforcements } from './plan-enforcements.js';
import { ReadAhead } from './read-ahead.js';
import { PlanRound } from './rounds/plan-round.js';
import { PlanRounds } from './rounds/plan-rounds.js';

/** Plans runs and rounds: snapshot in, victims out. */
@Module({
  providers: [PlanEnforcements, PlanRound, PlanRounds, ReadAhead],
  exports: [PlanEnforcements, PlanRounds, ReadAhead],
})
export class PlannerModule {}
