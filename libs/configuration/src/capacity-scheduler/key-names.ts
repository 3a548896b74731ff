/** YARN's keys that are read here, and the scheduler's keys that have no meaning for Curtail. */
export const scheduler = 'yarn.scheduler.capacity.';
export const preemption = 'yarn.resourcemanager.monitor.capacity.preemption.';
export const inQueue = `${preemption}intra-queue-preemption.`;
export const monitorEnabled = 'yarn.resourcemanager.scheduler.monitor.enable';
/** Of yarn-site.xml: which scheduler YARN runs, and so whether it reads capacity-scheduler.xml. */
export const schedulerClass = 'yarn.resourcemanager.scheduler.class';
export const minimumAllocation = 'yarn.scheduler.minimum-allocation-';

/** Keys of yarn-site.xml about node labels: whether there are any, and those that containers get by default. */
export const labelsEnabled = 'yarn.node-labels.enabled';
export const labelExpressions = [
  'yarn.node-labels.am.default-node-label-expression',
  `${scheduler}default-node-label-expression`,
];

/** Curtail's own key of a queue, inherited: how long allocations may stay after its maximum capacity was lowered. */
export const delayKey = 'quota-preemption-delay';

/** Keys of preemption that an administrator may expect to have an effect, but that have none. */
export const withoutEffect = [
  `${preemption}natural_termination_factor`,
  `${preemption}max_ignored_over_capacity`,
  `${preemption}conservative-drf`,
  `${preemption}select_based_on_reserved_containers`,
  `${preemption}preemption-to-balance-queue-before-kill.enabled`,
  `${scheduler}lazy-preemption-enabled`,
];

/** Further keys of the scheduler, after `yarn.scheduler.capacity.`: a name, or a prefix of names. */
export const ofTheScheduler =
  /^(application\.fail-fast|max-parallel-apps|maximum-(am-resource-percent|applications|parallel-apps)|node-locality-delay|rack-locality-(additional-delay|full-reset)|queue-mappings?(-override\.enable)?|mapping-rule-.*|workflow-priority-mappings.*|per-node-heartbeat\..*|schedule-asynchronously\..*|legacy-queue-mode\.enabled|multi-node-.*|offswitch-.*|reservations?-.*|skip-allocate-.*|user\..*|user-metrics\.enable|global-queue-max-application|maximum-allocation-(mb|vcores))$/;

/** Further keys of a queue, after its path. */
export const ofAQueue =
  /^(state|acl_.*|acl-.*|priority|default-.*|maximum-(am-resource-percent|applications|application-lifetime|allocation.*|parallel-apps)|max-parallel-apps|accessible-node-labels(\..*)?|reservable|reservation-.*|instantaneous-max-capacity|average-capacity|show-reservations-as-queues|auto-.*|leaf-queue-template\..*|user-settings\..*\.max-parallel-apps|ordering-policy\..*|multi-node-sorting\..*|config\..*|allow-zero-capacity-sum)$/;

/**
 * Curtail's own key, which its agent for YARN writes: percentages and weights are calculated in single precision, as YARN does it, so that
 * they give the amounts that YARN enforces.
 */
export const singlePrecision = `${scheduler}single-precision`;
