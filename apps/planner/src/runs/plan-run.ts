import { withFurtherVictims, withLeaving } from '#clusters';
import {
  type ClusterSnapshot,
  clockTrigger,
  InputError,
  type Limit,
  type OwnerBudget,
  type Owners,
  type Plan,
  type QuotaDecreaseSettings,
  type RecentVictim,
  readQueueSetting,
  settingsOfPlans,
  settingsOfQueue,
  type Trigger,
  usersByApplication,
} from '#contracts';
import type { Mode } from '#enforcement';
import { DecidingRules, plan, readSnapshot } from '#planning';
import { indexedAhead } from '../ahead/read-ahead.js';
import { TooManyVictims, whyUnplanned } from '../failures/why-unplanned.js';
import { ownersOf, PlanRecord, planFailedEvent } from '../record/plan-computed.js';
import type { PlannerSettings } from '../settings/planner-settings.js';
import type { StartedRun } from './locks.js';
import { isLargeView, type View } from './views.js';

/** A run with its plan, or with the reason why it has none. */
export interface RunWithPlan {
  started: StartedRun;
  victims: Plan['victims'];
  owners?: Owners | undefined;
  /** Those by which its plan counted the victims of owners. */
  ownerBudgets?: readonly OwnerBudget[];
  record: PlanRecord;
}

/** Plans a run at once. Its record is packed afterwards. */
export function planRun(
  view: View,
  leaving: Leaving,
  mode: Mode,
  { policy, mostVictims }: PlannerSettings,
): RunWithPlan {
  const { started, began } = view;
  if ('error' in view) return unplanned(started, view.error, began);
  const { queue, values } = started.data;
  try {
    const settings: QuotaDecreaseSettings = {
      ...settingsOfQueue(settingsOfPlans, policy, view.snapshot.queues, queue),
      quotaPreemptionEnabled: true,
    };
    const ownerBudgets = readQueueSetting('ownerBudgets', settings.ownerBudgets, 'settings.ownerBudgets');
    const snapshot = leaving.in(view.snapshot, { isCounted: ownerBudgets.length > 0 });
    const planning = performance.now();
    const read = readSnapshot(snapshot, indexedAhead(snapshot));
    const { made, trigger, rules } = planAvoiding(view.avoid, (avoid) => {
      const rules = new DecidingRules();
      const trigger: Trigger = { ...clockTrigger(queue), ...(avoid && { avoid }) };
      return { made: plan(read, trigger, settings, rules), trigger, rules };
    });
    const planSeconds = Math.round((performance.now() - planning) * 1000) / 1e6;
    const { victims } = made;
    if (victims.length > mostVictims) throw new TooManyVictims(queue, victims.length, mostVictims);
    const owners = ownersOf(snapshot, made);
    const below = `${queue}.`;
    const record = PlanRecord.of(
      started.data,
      {
        snapshot,
        plan: made,
        trigger,
        settings,
        rules: rules.runs,
        ...(owners && { owners }),
        mode,
        planSeconds,
        limit: plannedLimit(values, snapshot, queue),
        // As `isWithin`, which would write this prefix for each of them.
        isCounted: (of) => of === queue || of.startsWith(below),
      },
      { later: isLargeView(snapshot) },
    );
    return { started, victims, owners, ownerBudgets, record };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return unplanned(started, error, began);
  }
}

/** If no other allocation can go, those whose evictions failed are tried again. */
function planAvoiding<P extends { made: Plan }>(avoid: string[], make: (avoid?: string[]) => P): P {
  const others = avoid.length > 0 ? make(avoid) : undefined;
  return others && others.made.victims.length > 0 ? others : make();
}

function unplanned(started: StartedRun, error: InputError, began: number): RunWithPlan {
  const why = whyUnplanned(error);
  const afterMs = Math.round(performance.now() - began);
  return { started, victims: [], record: PlanRecord.ofFailure(planFailedEvent(started.data, why, afterMs)) };
}

/** The limit that a run was planned with: a share of the cluster resolved with the nodes of the snapshot. */
function plannedLimit(
  { max, maxShare }: StartedRun['data']['values'],
  { queues }: ClusterSnapshot,
  queue: string,
): Limit {
  if (maxShare === undefined) return { max };
  return { max: queues.find(({ path }) => path === queue)?.max ?? null, maxShare };
}

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
