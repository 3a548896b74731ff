import { z } from 'zod';
import {
  defaultsOfRuns,
  foresightValues,
  InputError,
  type QuotaDecreaseSettings,
  rangesOfSettings,
  readDecreaseSettings as readPolicy,
  readQueueSetting,
} from '#contracts';
import { constant, kindOf, oneOf, optionalSetting, setting, wholeNumber } from '#platform';

const switchedHere =
  'sets quotaPreemptionEnabled, which has no effect here (each partition has its own switch, preemption.quotapreemptionenabled, and CURTAIL_MODE=observe holds for all)';

const policySettings = kindOf(
  'a JSON object of settings such as {"fit":"cover","miss":5} (docs/reference/snapshot.md, "Settings")',
  z.string().transform((value, issues) => {
    try {
      const parsed: unknown = JSON.parse(value);
      const { ownerBudgets, quotaPreemptionEnabled } = readPolicy(parsed);
      readQueueSetting('ownerBudgets', ownerBudgets, 'settings.ownerBudgets');
      // Who writes false here wants nothing enforced; every plan of a service is made with true.
      if (quotaPreemptionEnabled !== undefined) issues.addIssue(switchedHere);
      return parsed as QuotaDecreaseSettings;
    } catch (error) {
      issues.addIssue(error instanceof InputError ? error.sentence : 'is not JSON');
      return z.NEVER;
    }
  }),
);

/** The setting for the mode of partitions for which none was set; its default depends on the kind of cluster. */
export function defaultMode(absent: 'enforce' | 'observe') {
  return setting('CURTAIL_DEFAULT_MODE', oneOf(['enforce', 'observe']), {
    default: absent,
    help: 'Mode of partitions for which none was set; observe: plan, and evict nothing; enforce: evict',
  });
}

/** What is enforced, and by which rules. */
export const modeSettings = {
  policy: setting('CURTAIL_QUOTA_DECREASE', policySettings, {
    default: {},
    help: 'Settings of the policy quota-decrease, as JSON',
  }),
  mode: optionalSetting('CURTAIL_MODE', oneOf(['enforce', 'observe']), {
    help: 'observe: evict nothing, whatever mode is set for a partition; enforce, or unset: the modes of partitions count, but an agent evicts only with enforce',
  }),
  defaultMode: defaultMode('enforce'),
  /** Of the rounds of policies whose settings have none: what starves for too long begins a round by itself. */
  roundIntervalMilliseconds: constant(5000),
};

/** What slows a run down, or holds it for an operator. */
export const brakeSettings = {
  victimsPerSecond: setting('CURTAIL_VICTIMS_PER_SECOND', wholeNumber(rangesOfSettings.victimsPerSecond), {
    default: defaultsOfRuns.victimsPerSecond,
    help: 'Maximum number of evictions that a run requests in a second',
  }),
  graceSeconds: setting('CURTAIL_GRACE_SECONDS', wholeNumber(rangesOfSettings.graceSeconds), {
    default: defaultsOfRuns.graceSeconds,
    help: 'Grace period of an evicted allocation, in seconds',
  }),
  approveAboveVictims: setting(
    'CURTAIL_APPROVE_ABOVE_VICTIMS',
    wholeNumber(rangesOfSettings.approveAboveVictims),
    {
      default: defaultsOfRuns.approveAboveVictims,
      help: 'A plan with more victims than this waits for an operator',
    },
  ),
  approveAbovePercent: setting(
    'CURTAIL_APPROVE_ABOVE_PERCENT',
    wholeNumber(rangesOfSettings.approveAbovePercent),
    {
      default: defaultsOfRuns.approveAbovePercent,
      help: 'A plan that takes more than this share of the queue, of its allocations or of a resource type, waits for an operator, in percent',
    },
  ),
  /** None of these four, unless a configuration or an operator sets it: each partition has another size. */
  partitionVictimsPerSecond: constant<number | undefined>(undefined),
  ceilingPerHour: constant<number | undefined>(undefined),
  ceilingPerConfiguration: constant<number | undefined>(undefined),
  ceilingClusterPercent: constant<number | undefined>(undefined),
  /**
   * After it a run gives up its remaining victims, in seconds, the wait for approval included: a day, in which someone has been at work. Operators
   * end a run earlier, or start another one.
   */
  deadlineSeconds: constant(86_400),
};

/** What owners of work are notified of, and may request. */
export const ownerSettings = {
  /** Owners are notified, unless a configuration or an operator turns it off. */
  foresight: constant<(typeof foresightValues)[number]>('on'),
  /** None, unless a configuration or an operator allows them: they make others wait. */
  extensions: constant(0),
  /** Of an extension where they are allowed: most checkpoints take less. */
  extensionSeconds: constant(600),
};

/** What bounds the memory of a process. */
export const memorySettings = {
  mostAllocations: setting('CURTAIL_MOST_ALLOCATIONS', wholeNumber({ min: 1000, max: 10_000_000 }), {
    default: 2_000_000,
    help: 'Maximum number of allocations in a plan, of which a tenth, or 20,000 if that is more, may be victims; larger runs are not carried out, since they would need more memory',
  }),
  previewMegabytes: setting('CURTAIL_PREVIEW_MEGABYTES', wholeNumber({ min: 64, max: 65_536 }), {
    default: 1024,
    help: 'Memory limit of each thread for the plans of dry runs, of explanations or of replays, in MB; operators and teams have separate ones',
  }),
};

/** Of a run: an executor takes as much memory for a victim as a planner for ten allocations. The smallest heap has room for 20,000. */
export const mostVictimsOf = (mostAllocations: number): number =>
  Math.max(20_000, Math.floor(mostAllocations / 10));

export const snapshotSettings = {
  snapshotRetentionDays: setting('CURTAIL_SNAPSHOT_RETENTION_DAYS', wholeNumber({ min: 1, max: 3650 }), {
    default: 30,
    help: 'How long the inputs of plans are kept, in days',
  }),
};

/** The same everywhere. */
const workConstants = {
  /**
   * The lease of a run, in seconds: a run whose executor does not renew it in this time is given up. Longer than any pause of a
   * process that goes on afterwards.
   */
  leaseSeconds: constant(60),
  /** Of the check for overdue timers without a wake-up: so late is a clock at most when wake-ups are lost. It is one short query. */
  sweepMilliseconds: constant(1000),
  /** Of the comparison of quotas, clocks and runs with their desired state, which finds something only after a fault. */
  reconcileSeconds: constant(60),
  /** Of the plan of each running clock for advance notices; a changed quota or setting makes one at once. */
  foresightSeconds: constant(300),
  /** Owners are not notified of clocks that start with a shorter delay: there is no time to react. */
  foresightLeastSeconds: constant(60),
  /** For reading a configuration, and for the plans of a dry run or an explanation: people and proxies wait no longer. */
  previewSeconds: constant(60),
  /**
   * Attempts for an eviction that the cluster refuses temporarily, with longer and longer pauses; refusals of disruption budgets do
   * not count.
   */
  tries: constant(8),
};

/** The settings of the apps; each app uses some of them. Each variable has a default that is safe to start with. */
export const appSettings = {
  ...modeSettings,
  ...brakeSettings,
  ...ownerSettings,
  ...memorySettings,
  ...snapshotSettings,
  ...workConstants,
};
