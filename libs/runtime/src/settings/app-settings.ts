import { z } from 'zod';
import {
  defaultsOfRuns,
  foresightValues,
  InputError,
  type QuotaDecreaseSettings,
  rangesOfSettings,
  readSettings as readPolicy,
  readQueueSetting,
  waitingForApproval,
} from '#contracts';
import { kindOf, oneOf, optionalSetting, setting, wholeNumber } from '#platform';

const policySettings = kindOf(
  'a JSON object of settings such as {"fit":"cover","miss":5} (docs/reference/snapshot.md, "Settings")',
  z.string().transform((value, issues) => {
    try {
      const parsed: unknown = JSON.parse(value);
      const { ownerBudgets } = readPolicy(parsed);
      readQueueSetting('ownerBudgets', ownerBudgets, 'settings.ownerBudgets');
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

/** The settings of the apps; each app uses some of them. Each variable has a default that is safe to start with. */
export const appSettings = {
  policy: setting('CURTAIL_QUOTA_DECREASE', policySettings, {
    default: {},
    help: 'Settings of the policy quota-decrease, as JSON',
  }),
  mode: optionalSetting('CURTAIL_MODE', oneOf(['enforce', 'observe']), {
    help: 'observe: evict nothing, whatever mode is set for a partition; enforce, or unset: the modes of partitions count',
  }),
  defaultMode: defaultMode('enforce'),
  leaseSeconds: setting('CURTAIL_LEASE_SECONDS', wholeNumber({ min: 5, max: 3600 }), {
    default: 60,
    help: 'Lease of a run: a run whose executor does not renew it in this time is given up, in seconds',
  }),
  sweepMilliseconds: setting('CURTAIL_SWEEP_MILLISECONDS', wholeNumber({ min: 100, max: 60_000 }), {
    default: 1000,
    help: 'Interval of the check for overdue timers without a wake-up, in milliseconds',
  }),
  reconcileSeconds: setting('CURTAIL_RECONCILE_SECONDS', wholeNumber({ min: 1, max: 86_400 }), {
    default: 60,
    help: 'Interval at which the timer compares quotas, clocks and runs with their desired state, in seconds',
  }),
  roundIntervalMilliseconds: setting(
    'CURTAIL_ROUND_INTERVAL_MILLISECONDS',
    wholeNumber({ min: 200, max: 3_600_000 }),
    {
      default: 5000,
      help: 'Interval of the rounds of policies whose settings have none, in milliseconds',
    },
  ),
  snapshotRetentionDays: setting('CURTAIL_SNAPSHOT_RETENTION_DAYS', wholeNumber({ min: 1, max: 3650 }), {
    default: 30,
    help: 'How long the inputs of plans are kept, in days',
  }),
  victimsPerSecond: setting('CURTAIL_VICTIMS_PER_SECOND', wholeNumber(rangesOfSettings.victimsPerSecond), {
    default: defaultsOfRuns.victimsPerSecond,
    help: 'Maximum number of evictions that a run requests in a second',
  }),
  graceSeconds: setting('CURTAIL_GRACE_SECONDS', wholeNumber(rangesOfSettings.graceSeconds), {
    default: defaultsOfRuns.graceSeconds,
    help: 'Grace period of an evicted allocation, in seconds',
  }),
  extensions: setting('CURTAIL_EXTENSIONS', wholeNumber(rangesOfSettings.extensions), {
    default: 0,
    help: 'Maximum number of extensions that the owner of a victim gets in a run; 0: none',
  }),
  extensionSeconds: setting('CURTAIL_EXTENSION_SECONDS', wholeNumber(rangesOfSettings.extensionSeconds), {
    default: 600,
    help: 'Length of an extension, in seconds',
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
  ceilingPerHour: optionalSetting('CURTAIL_CEILING_PER_HOUR', wholeNumber(rangesOfSettings.ceilingPerHour), {
    help: 'More victims than this within an hour, over all runs of a partition, wait for an operator; not set: no ceiling',
  }),
  ceilingPerConfiguration: optionalSetting(
    'CURTAIL_CEILING_PER_CONFIGURATION',
    wholeNumber(rangesOfSettings.ceilingPerConfiguration),
    {
      help: 'More victims than this, over all runs that one version of a configuration causes, wait for an operator; not set: no ceiling',
    },
  ),
  ceilingClusterPercent: optionalSetting(
    'CURTAIL_CEILING_CLUSTER_PERCENT',
    wholeNumber(rangesOfSettings.ceilingClusterPercent),
    {
      help: 'Victims that hold more than this share of the cluster within an hour, in any resource type, wait for an operator, in percent; not set: no ceiling',
    },
  ),
  partitionVictimsPerSecond: optionalSetting(
    'CURTAIL_PARTITION_VICTIMS_PER_SECOND',
    wholeNumber(rangesOfSettings.partitionVictimsPerSecond),
    {
      help: 'Maximum number of evictions in a second over all runs of a partition; not set: only the rate of each run counts',
    },
  ),
  foresight: setting('CURTAIL_FORESIGHT', oneOf(foresightValues), {
    default: 'on',
    help: 'Whether owners are notified, while a clock runs, of what its run would evict',
  }),
  foresightSeconds: setting('CURTAIL_FORESIGHT_SECONDS', wholeNumber({ min: 1, max: 86_400 }), {
    default: 300,
    help: 'Interval at which the plan of each running clock is made again for advance notices, in seconds',
  }),
  foresightLeastSeconds: setting('CURTAIL_FORESIGHT_LEAST_SECONDS', wholeNumber({ min: 0, max: 604_800 }), {
    default: 60,
    help: 'Owners are not notified of clocks that start with a shorter delay than this, in seconds',
  }),
  mostAllocations: setting('CURTAIL_MOST_ALLOCATIONS', wholeNumber({ min: 1000, max: 10_000_000 }), {
    default: 2_000_000,
    help: 'Maximum number of allocations in a plan; a queue with more gets no plan, since it would need more memory',
  }),
  mostVictims: setting('CURTAIL_MOST_VICTIMS', wholeNumber({ min: 1, max: 1_000_000 }), {
    default: 200_000,
    help: 'Maximum number of victims of a run; larger runs are not carried out, and would need more memory',
  }),
  previewSeconds: setting('CURTAIL_PREVIEW_SECONDS', wholeNumber({ min: 1, max: 3600 }), {
    default: 60,
    help: 'Time limit for reading a configuration, and for the plans of a dry run or an explanation, in seconds',
  }),
  previewMegabytes: setting('CURTAIL_PREVIEW_MEGABYTES', wholeNumber({ min: 64, max: 65_536 }), {
    default: 1024,
    help: 'Memory limit of each thread for the plans of dry runs, of explanations or of replays, in MB; operators and teams have separate ones',
  }),
  deadlineSeconds: setting('CURTAIL_DEADLINE_SECONDS', wholeNumber({ min: 10, max: 604_800 }), {
    default: 86_400,
    help: `Time after which a run gives up its remaining victims, ${waitingForApproval} included, in seconds`,
  }),
  tries: setting('CURTAIL_EVICTION_TRIES', wholeNumber({ min: 1, max: 100 }), {
    default: 8,
    help: 'Maximum number of attempts for an eviction that the cluster refuses temporarily; refusals of disruption budgets do not count',
  }),
};
