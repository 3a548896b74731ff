import { withFurtherVictims, withLeaving } from '#clusters';
import {
  type ClusterSnapshot,
  type Owners,
  type Plan,
  type RecentVictim,
  usersByApplication,
} from '#contracts';

/** The victims of a partition that earlier plans of a batch have chosen: they are not in the database yet, and count as leaving. */
export class Leaving {
  private readonly allocations = new Set<string>();
  private readonly victims: Omit<RecentVictim, 'at'>[] = [];

  add(chosen: Plan['victims'], owners: Owners | undefined): void {
    const users = usersByApplication(owners);
    for (const { allocation, application, queue } of chosen) {
      this.allocations.add(allocation);
      const user = users.get(application);
      this.victims.push({ ...(user === undefined ? {} : { user }), application, queue });
    }
  }

  /** @param isCounted the plan counts the victims of owners. */
  in(snapshot: ClusterSnapshot, { isCounted }: { isCounted: boolean }): ClusterSnapshot {
    const at = snapshot.takenAt;
    const counted = isCounted ? this.victims.map((victim) => ({ ...victim, at })) : [];
    return withFurtherVictims(withLeaving(snapshot, this.allocations), counted);
  }
}
