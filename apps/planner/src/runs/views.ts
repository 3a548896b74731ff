import type { DataSource } from 'typeorm';
import { type ClusterReader, takePlanningSnapshot } from '#clusters';
import { type ClusterSnapshot, InputError } from '#contracts';
import type { PlannerSettings } from '../settings/planner-settings.js';
import { failedBefore, type StartedRun } from './locks.js';

/** What a run is planned on, or the reason why there is none. */
export type View = { started: StartedRun; began: number } & (
  | { snapshot: ClusterSnapshot; avoid: string[] }
  | { error: InputError }
);

/** Many snapshots of small queues are taken at once, at most this many, with this many allocations. */
const mostViewsAtOnce = 8;
const mostAllocationsAtOnce = 20_000;

/** A snapshot of a large queue has as many allocations as all that are taken at once. */
export const isLargeView = ({ allocations }: ClusterSnapshot): boolean =>
  allocations.length > mostAllocationsAtOnce;

/** Takes the snapshots of runs: small ones several at once, which saves round trips, and a large one alone, since it may have a million allocations. */
export class Views {
  /** Allocations of the last snapshot: the next ones will be about as large. */
  private lastSize = Number.POSITIVE_INFINITY;

  constructor(
    private readonly db: DataSource,
    private readonly cluster: ClusterReader,
    private readonly settings: PlannerSettings,
  ) {}

  /** @returns the views of the first of these runs, of one at least. */
  ofFirst(started: readonly StartedRun[]): Promise<View[]> {
    const bySize = Math.floor(mostAllocationsAtOnce / Math.max(1, this.lastSize));
    const atOnce = Math.max(1, Math.min(mostViewsAtOnce, bySize));
    return Promise.all(started.slice(0, atOnce).map((event) => this.of(event)));
  }

  private async of(started: StartedRun): Promise<View> {
    const { partition, queue, fencingToken, values } = started.data;
    const { policy, mostAllocations } = this.settings;
    const began = performance.now();
    try {
      const snapshot = await takePlanningSnapshot(this.db, this.cluster, {
        partition,
        queue,
        fencingToken,
        nodeAware: policy.nodeAware ?? false,
        mostAllocations,
        ownerBudgets: policy.ownerBudgets,
        fired: values,
      });
      this.lastSize = snapshot.allocations.length;
      return { started, began, snapshot, avoid: await failedBefore(this.db, started.data) };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { started, began, error };
    }
  }
}
