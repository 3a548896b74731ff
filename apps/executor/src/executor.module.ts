import { Module } from '@nestjs/common';
import { FindCareFacts } from './care-facts.js';
import { CarryOut } from './carry-out.js';
import { CarryOutPlans } from './carry-out-plans.js';
import { EvictionGates } from './eviction-gate.js';
import { ExecutorService } from './executor.service.js';
import { GiveUp } from './give-up.js';
import { FindOwnerFacts } from './owner-facts.js';
import { PartitionLimitsOfRuns } from './partition-limits.js';
import { FindQueueFacts } from './queue-facts.js';
import { RoundSteps } from './rounds/round-steps.js';
import { ReadRunControl } from './run-control.js';
import { RunFacts } from './run-facts.js';
import { LoadRuns } from './runs/load-runs.js';
import { OpenRuns } from './runs/open-runs.js';
import { RecordTogether } from './runs/record-together.js';
import { SendKills } from './send-kills.js';
import { TurnsOfRuns } from './turns-of-runs.js';
import { FindVictimFacts } from './victim-facts.js';

/** Carries plans out, safely. The only module with a driver that evicts. */
@Module({
  controllers: [CarryOutPlans],
  providers: [
    CarryOut,
    EvictionGates,
    ExecutorService,
    FindCareFacts,
    FindVictimFacts,
    FindOwnerFacts,
    FindQueueFacts,
    GiveUp,
    LoadRuns,
    OpenRuns,
    PartitionLimitsOfRuns,
    ReadRunControl,
    RecordTogether,
    RoundSteps,
    RunFacts,
    SendKills,
    TurnsOfRuns,
  ],
  exports: [ExecutorService],
})
export class ExecutorModule {}
