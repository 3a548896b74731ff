/** What a server answers, as its controllers declare it. Types only: nothing of the server is loaded. */

export type {
  InventoryStatus,
  PartitionStatus,
} from '../../../../../libs/clusters/src/inventory/inventory-control.js';
export type { ApplicationWork } from '../../../../../libs/clusters/src/simulated/applications.js';
export type {
  PendingPreview,
  Preview,
  QueuePreview,
} from '../../../../config-ingest/src/preview/preview-configuration.js';
export type { Applied } from '../../../../config-ingest/src/submit-configuration.js';
export type { Archivable, Archived } from '../../../../console/src/archive/archive-log.js';
export type {
  DeadLetterDetail,
  DeadLetterView,
  LettersDone,
} from '../../../../console/src/dead-letters/dead-letters.js';
export type {
  AllocationExplanation,
  EnforcementExplanation,
  QueueExplanation,
} from '../../../../console/src/explain/explain.js';
export type { EnforcementView, VictimView } from '../../../../console/src/queries/enforcements.js';
export type { ListPage } from '../../../../console/src/queries/list-query.js';
export type { EventView, PlanView, RecordedPlan } from '../../../../console/src/queries/log.js';
export type { ElementView } from '../../../../console/src/queries/pools.js';
export type { QueueView } from '../../../../console/src/queries/queues.js';
export type { RoundsView } from '../../../../console/src/queries/rounds.js';
export type { TimerView } from '../../../../console/src/queries/timers.js';
export type { DigestReplay } from '../../../../console/src/replay/digest/compare-digests.js';
export type { Republication } from '../../../../console/src/replay/kafka/republish-events.js';
export type { ProjectionsReplay } from '../../../../console/src/replay/projections/build-projections.js';
export type { ReplayView } from '../../../../console/src/replay/replay-rows.js';
export type { ShadowReplay } from '../../../../console/src/replay/shadow/replay-shadows.js';

/** A notice as lists have it; `enforcement` null = it belongs to no run. */
export interface NoticeView {
  at: string;
  partition: string;
  queue: string;
  enforcement: string | null;
  code: string;
  message: string;
}
