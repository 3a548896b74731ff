import { Module } from '@nestjs/common';
import { PlanEnforcements } from './plan-enforcements.js';
import { PlanFairShareRound } from './rounds/fair-share/plan-fair-share-round.js';
import { PlanRound } from './rounds/plan-round.js';
import { PlanRounds } from './rounds/plan-rounds.js';

/** Snapshot in, victims out. */
@Module({
  providers: [PlanEnforcements, PlanFairShareRound, PlanRound, PlanRounds],
  exports: [PlanEnforcements, PlanRounds],
})
export class PlannerModule {}
