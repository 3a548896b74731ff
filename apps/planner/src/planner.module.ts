import { Module } from '@nestjs/common';
import { PlanEnforcements } from './plan-enforcements.js';

/** Snapshot in, victims out. */
@Module({ providers: [PlanEnforcements], exports: [PlanEnforcements] })
export class PlannerModule {}
