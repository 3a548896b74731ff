import type { Resources } from '../planning/resources.js';
import type { ClusterShare } from '../shares/cluster-share.js';

export interface QueueView {
  partition: string;
  queue: string;
  /** Base units; null = no limit, or a share of a cluster of which no nodes are known. */
  max: Resources | null;
  guaranteed: Resources | null;
  /** The shares of the cluster that max and guaranteed are, such as `{"max": "1/4"}`; absent where they are amounts. */
  clusterShare?: ClusterShare;
  delaySeconds: number;
  usage: Resources;
  inFlight: Resources;
  /** When the pending enforcement is due. */
  dueAt: string | null;
  /** The pending enforcement stands still: its kill switch is set, or the switch of the partition is off. */
  suspended: boolean;
  /** Above its quota, with nothing due and no reason that holds (docs/how-to/monitor.md, "What the reconciler finds"). */
  notMet: boolean;
  /** The run in progress. */
  enforcement: string | null;
  stopped: boolean;
}

export interface TimerView {
  partition: string;
  queue: string;
  kind: string;
  enforcement: string | null;
  generation: number;
  dueAt: string;
  state: string;
}

/** A notice as lists have it; `enforcement` null = it belongs to no run. */
export interface NoticeView {
  at: string;
  partition: string;
  queue: string;
  enforcement: string | null;
  code: string;
  message: string;
  /** What it is about; both null if its event was written by an older version. */
  kind: string | null;
  name: string | null;
}
