import { EventStore1763740001000 } from './1763740001000-event-store.js';
import { SimulatedCluster1763740002000 } from './1763740002000-simulated-cluster.js';
import { Schedules1763740003000 } from './1763740003000-schedules.js';
import { ReadModel1763740004000 } from './1763740004000-read-model.js';
import { SimulatedEvictions1763740005000 } from './1763740005000-simulated-evictions.js';
import { Relay1763740006000 } from './1763740006000-relay.js';
import { Inventory1763740007000 } from './1763740007000-inventory.js';
import { Replays1763740008000 } from './1763740008000-replays.js';
import { WaitingTimers1763740009000 } from './1763740009000-waiting-timers.js';
import { Policies1763740010000 } from './1763740010000-policies.js';
import { Rounds1763740013000 } from './1763740013000-rounds.js';
import { SimulatedStories1763740014000 } from './1763740014000-simulated-stories.js';
import { Starvation1763740020000 } from './1763740020000-starvation.js';
import { ShownRounds1763740021000 } from './1763740021000-shown-rounds.js';
import { FairShareHints1763740022000 } from './1763740022000-fair-share-hints.js';
import { RoundSettings1763740024000 } from './1763740024000-round-settings.js';
import { LiveWork1763740025000 } from './1763740025000-live-work.js';
import { SchedulableNodes1763740026000 } from './1763740026000-schedulable-nodes.js';
import { RunLocks1763740027000 } from './1763740027000-run-locks.js';
import { Reconciler1763740027010 } from './1763740027010-reconciler.js';
import { EvictionIds1763740027020 } from './1763740027020-eviction-ids.js';
import { LastRuns1763740027030 } from './1763740027030-last-runs.js';
import { AppliedOffsets1763740027100 } from './1763740027100-applied-offsets.js';
import { InventoryFreshness1763740027110 } from './1763740027110-inventory-freshness.js';
import { PlatformClocks1763740027300 } from './1763740027300-platform-clocks.js';
import { ExplainedQueues1763740027400 } from './1763740027400-explained-queues.js';
import { LogIds1763740028000 } from './1763740028000-log-ids.js';
import { Redelivery1763740029100 } from './1763740029100-redelivery.js';
import { SchemaVersions1763740029200 } from './1763740029200-schema-versions.js';
import { Attempts1763740029210 } from './1763740029210-attempts.js';
import { SnapshotChunks1763740029300 } from './1763740029300-snapshot-chunks.js';
import { SimulatedUsage1763740029310 } from './1763740029310-simulated-usage.js';
import { EvictedSoFar1763740029320 } from './1763740029320-evicted-so-far.js';
import { RecordedAt1763740029400 } from './1763740029400-recorded-at.js';
import { RecordedAtHolds1763740029410 } from './1763740029410-recorded-at-holds.js';
import { StreamHeads1763740029420 } from './1763740029420-stream-heads.js';
import { PartitionedLog1763740029430 } from './1763740029430-partitioned-log.js';
import { EndedRuns1763740029440 } from './1763740029440-ended-runs.js';
import { SubjectsOfNotices1763740029500 } from './1763740029500-subjects-of-notices.js';
import { NoticesAboutQueues1763740029510 } from './1763740029510-notices-about-queues.js';
import { SubjectsOfReasons1763740029520 } from './1763740029520-subjects-of-reasons.js';
import { ProtectedAllocations1763740029600 } from './1763740029600-protected-allocations.js';
import { DeathsOfRuns1763740029700 } from './1763740029700-deaths-of-runs.js';
import { ClustersOfPartitions1763740029710 } from './1763740029710-clusters-of-partitions.js';
import { ClustersOfConfigurations1763740029720 } from './1763740029720-clusters-of-configurations.js';
import { PoliciesOfOwnLocks1763740029730 } from './1763740029730-policies-of-own-locks.js';
import { RoomForOutcomes1763740029800 } from './1763740029800-room-for-outcomes.js';
import { VictimsByRank1763740029900 } from './1763740029900-victims-by-rank.js';
import { VictimsOfPartitions1763740029950 } from './1763740029950-victims-of-partitions.js';
import { EndedClocks1763740029960 } from './1763740029960-ended-clocks.js';
import { OpenRuns1763740030100 } from './1763740030100-open-runs.js';
import { ConfigurationHistory1763740030300 } from './1763740030300-configuration-history.js';
import { VictimsByName1763740030500 } from './1763740030500-victims-by-name.js';
import { SimulatedBehavior1763740030600 } from './1763740030600-simulated-behavior.js';
import { SettingOverrides1763740030800 } from './1763740030800-setting-overrides.js';
import { Feeds1763740033000 } from './1763740033000-feeds.js';
import { SubmissionsForOneQueue1763740035000 } from './1763740035000-submissions-for-one-queue.js';
import { Webhook1763740035900 } from './1763740035900-webhook.js';
import { DecidingRules1763740036000 } from './1763740036000-deciding-rules.js';
import { OwnersOfVictims1763740036500 } from './1763740036500-owners-of-victims.js';
import { FactsOfRules1763740036700 } from './1763740036700-facts-of-rules.js';
import { WorkLost1763743000000 } from './1763743000000-work-lost.js';
import { Freezes1763744000000 } from './1763744000000-freezes.js';
import { VictimsOfOwners1763744500000 } from './1763744500000-victims-of-owners.js';
import { QueuesOfNotices1763745000000 } from './1763745000000-queues-of-notices.js';
import { InventoryCare1763745300000 } from './1763745300000-inventory-care.js';
import { Ceilings1763745550000 } from './1763745550000-ceilings.js';
import { OwnerAnswers1763745580000 } from './1763745580000-owner-answers.js';
import { ConfiguredFreezes1763745610000 } from './1763745610000-configured-freezes.js';
import { Foresights1763745645200 } from './1763745645200-foresights.js';
import { FiltersOfTheLog1763745700000 } from './1763745700000-filters-of-the-log.js';
import { VictimsOfApplications1763745750000 } from './1763745750000-victims-of-applications.js';
import { BudgetsCountedFor1763745760000 } from './1763745760000-budgets-counted-for.js';
import { RevokedLinks1763745770000 } from './1763745770000-revoked-links.js';
import { PackedEvents1763745780000 } from './1763745780000-packed-events.js';
import { NeededRuns1763745790000 } from './1763745790000-needed-runs.js';
import { MissingVictims1763745800000 } from './1763745800000-missing-victims.js';
import { RoomForChangedQuotas1763745810000 } from './1763745810000-room-for-changed-quotas.js';
import { ServiceLimits1763745820000 } from './1763745820000-service-limits.js';
import { AttentionOfConfigurations1763745830000 } from './1763745830000-attention-of-configurations.js';
import { LettersTriedAgain1763745850000 } from './1763745850000-letters-tried-again.js';
import { BlockedQueues1763745860000 } from './1763745860000-blocked-queues.js';
import { Departures1764200011000 } from './1764200011000-departures.js';

/** All migrations, oldest first. They are named here one by one, so that a build needs no search through folders. */
export const migrations = [
  EventStore1763740001000,
  SimulatedCluster1763740002000,
  Schedules1763740003000,
  ReadModel1763740004000,
  SimulatedEvictions1763740005000,
  Relay1763740006000,
  Inventory1763740007000,
  Replays1763740008000,
  WaitingTimers1763740009000,
  Policies1763740010000,
  Rounds1763740013000,
  SimulatedStories1763740014000,
  Starvation1763740020000,
  ShownRounds1763740021000,
  FairShareHints1763740022000,
  RoundSettings1763740024000,
  LiveWork1763740025000,
  SchedulableNodes1763740026000,
  RunLocks1763740027000,
  Reconciler1763740027010,
  EvictionIds1763740027020,
  LastRuns1763740027030,
  AppliedOffsets1763740027100,
  InventoryFreshness1763740027110,
  PlatformClocks1763740027300,
  ExplainedQueues1763740027400,
  LogIds1763740028000,
  Redelivery1763740029100,
  SchemaVersions1763740029200,
  Attempts1763740029210,
  SnapshotChunks1763740029300,
  SimulatedUsage1763740029310,
  EvictedSoFar1763740029320,
  RecordedAt1763740029400,
  RecordedAtHolds1763740029410,
  StreamHeads1763740029420,
  PartitionedLog1763740029430,
  EndedRuns1763740029440,
  SubjectsOfNotices1763740029500,
  NoticesAboutQueues1763740029510,
  SubjectsOfReasons1763740029520,
  ProtectedAllocations1763740029600,
  DeathsOfRuns1763740029700,
  ClustersOfPartitions1763740029710,
  ClustersOfConfigurations1763740029720,
  PoliciesOfOwnLocks1763740029730,
  RoomForOutcomes1763740029800,
  VictimsByRank1763740029900,
  VictimsOfPartitions1763740029950,
  EndedClocks1763740029960,
  OpenRuns1763740030100,
  ConfigurationHistory1763740030300,
  VictimsByName1763740030500,
  SimulatedBehavior1763740030600,
  SettingOverrides1763740030800,
  Feeds1763740033000,
  SubmissionsForOneQueue1763740035000,
  Webhook1763740035900,
  DecidingRules1763740036000,
  OwnersOfVictims1763740036500,
  FactsOfRules1763740036700,
  WorkLost1763743000000,
  Freezes1763744000000,
  VictimsOfOwners1763744500000,
  QueuesOfNotices1763745000000,
  InventoryCare1763745300000,
  Ceilings1763745550000,
  OwnerAnswers1763745580000,
  ConfiguredFreezes1763745610000,
  Foresights1763745645200,
  FiltersOfTheLog1763745700000,
  VictimsOfApplications1763745750000,
  BudgetsCountedFor1763745760000,
  RevokedLinks1763745770000,
  PackedEvents1763745780000,
  NeededRuns1763745790000,
  MissingVictims1763745800000,
  RoomForChangedQuotas1763745810000,
  ServiceLimits1763745820000,
  AttentionOfConfigurations1763745830000,
  LettersTriedAgain1763745850000,
  BlockedQueues1763745860000,
  Departures1764200011000,
];
