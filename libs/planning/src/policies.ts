import {
  type Plan,
  PolicyRegistry,
  readDecreaseSettings,
  readFairShareSettings,
  readIntraQueueSettings,
  readSomeFairShareSettings,
  type Trigger,
} from '#contracts';
import type { DecidingRules } from './deciding-rules.js';
import { planFairShare, readTrigger as readFairShareTrigger } from './fair-share/plan.js';
import { fairShareSnapshotOf } from './fair-share/snapshot/read.js';
import type { Fields } from './fields.js';
import { planIntraQueue, readTrigger as readInQueueTrigger } from './intra-queue/plan.js';
import { planQuotaDecrease, readTrigger as readQuotaTrigger } from './quota-decrease/plan.js';
import { queueSnapshotOf } from './snapshot/by-queue.js';
import type { Snapshot } from './snapshot/columns.js';

interface PolicyParts<T extends Trigger, Columns, Settings extends object> {
  /** @throws InputError with `trigger.<field>` as the path. */
  readTrigger(given: Fields): T;
  /** The part of a snapshot that it reads, made once. @throws InputError for what this policy does not accept. */
  columnsOf(snapshot: Snapshot): Columns;
  /** @throws InputError with `settings.<name>` as the path. */
  readSettings(given: unknown): Settings;
  /** The same while the other settings are unknown; absent: no setting depends on another. */
  readSomeSettings?(given: unknown): object;
  /** @param rules get the deciding rules of the victims, if the policy has any. */
  plan(columns: Columns, trigger: T, settings: Settings, rules?: DecidingRules): Plan;
}

/** How a policy plans. */
export interface PolicyPlanner {
  readonly name: string;
  readTrigger(given: Fields): Trigger;
  /**
   * Settings with every default in its place. Settings that contradict another one are accepted: that may not be known yet.
   *
   * @throws InputError with `settings.<name>` as the path.
   */
  readSomeSettings(given: unknown): object;
  plan(snapshot: Snapshot, trigger: Fields, settings: unknown, rules?: DecidingRules): Plan;
}

/** @param name as triggers and plans have it. */
export function planner<T extends Trigger, Columns, Settings extends object>(
  name: string,
  policy: PolicyParts<T, Columns, Settings>,
): PolicyPlanner {
  return {
    name,
    readTrigger: policy.readTrigger,
    readSomeSettings: policy.readSomeSettings ?? ((given) => policy.readSettings(given)),
    plan(snapshot, given, settings, rules) {
      const trigger = policy.readTrigger(given);
      return policy.plan(policy.columnsOf(snapshot), trigger, policy.readSettings(settings), rules);
    },
  };
}

/** All policies that plan. docs/development.md, "Adding a policy" */
export const planners = new PolicyRegistry<PolicyPlanner>(
  planner('quota-decrease', {
    readTrigger: readQuotaTrigger,
    columnsOf: queueSnapshotOf,
    readSettings: readDecreaseSettings,
    plan: planQuotaDecrease,
  }),
  planner('intra-queue', {
    readTrigger: readInQueueTrigger,
    columnsOf: queueSnapshotOf,
    readSettings: readIntraQueueSettings,
    plan: planIntraQueue,
  }),
  planner('fair-share', {
    readTrigger: readFairShareTrigger,
    columnsOf: fairShareSnapshotOf,
    readSettings: readFairShareSettings,
    readSomeSettings: readSomeFairShareSettings,
    plan: (columns, _trigger, settings, rules) => planFairShare(columns, settings, rules),
  }),
);
