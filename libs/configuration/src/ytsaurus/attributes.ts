import { at, type Entry, isNull } from '../field.js';
import type { Problems } from '../problems.js';
import {
  amounts,
  duration,
  listOf,
  numberThat,
  oneOf,
  type ReadValue,
  resourceType,
  truth,
} from './values.js';

/** An attribute, by its name in YTsaurus: its name here, and its reader. */
type Attributes = Readonly<Record<string, { name: string; read: ReadValue }>>;

const part = numberThat((number) => number >= 0 && number <= 1, 'a number from 0 to 1');
const positive = numberThat((number) => number > 0, 'a number above 0');

/** Set by the tree for all pools, and by a pool for itself and all below it. docs/reference/policies/fair-share.md §3 */
const ofBoth: Attributes = named({
  fair_share_starvation_timeout: duration,
  fair_share_starvation_tolerance: part,
  enable_aggressive_starvation: truth,
  allow_aggressive_preemption: truth,
  non_preemptible_resource_usage_threshold: amounts,
});

export const attributesOfTree: Attributes = {
  ...ofBoth,
  ...named({
    allocation_preemption_timeout: duration,
    fair_share_aggressive_starvation_timeout: duration,
    preemption_satisfaction_threshold: positive,
    aggressive_preemption_satisfaction_threshold: numberThat((number) => number >= 0, 'a number, at least 0'),
    preemptive_scheduling_backoff: duration,
    allowed_node_resources_overcommit_duration: duration,
    consider_allocation_on_fair_share_bound_preemptible: truth,
    enable_pool_starvation: truth,
    scheduling_preemption_priority_scope: oneOf('operation_and_ancestors', 'operation_only'),
    allow_preemption_from_starving_operations: truth,
    allow_aggressive_preemption_for_gang_operations: truth,
    allocation_count_preemption_timeout_coefficient: numberThat(
      (number) => number >= 1,
      'a number, at least 1',
    ),
    enable_absolute_fair_share_starvation_tolerance: truth,
    enable_step_function_for_gang_operations: truth,
    main_resource: resourceType,
    best_allocation_share: truth,
    fifo_pool_scheduling_order: oneOf('satisfaction', 'fifo'),
    aggressive_stage_first: truth,
    // Of YTsaurus alone: another way to write user_slots of non_preemptible_resource_usage_threshold.
    max_unpreemptible_running_allocation_count: numberThat(
      (number) => Number.isSafeInteger(number) && number >= 0,
      'a whole number, at least 0',
    ),
    reasons: listOf({
      starvation: 'starvation',
      'resource-limits': 'resource-limits',
      resource_limits: 'resource-limits',
      overcommit: 'overcommit',
    }),
  }),
};

export const attributesOfPool: Attributes = {
  ...ofBoth,
  ...named({
    weight: positive,
    mode: oneOf('fair_share', 'fifo'),
    fifo_sort_parameters: listOf({
      weight: 'weight',
      start_time: 'startTime',
      pending_job_count: 'pendingJobCount',
      pending_allocation_count: 'pendingJobCount',
    }),
    resource_limits_overcommit_tolerance: amounts,
    allow_normal_preemption: truth,
  }),
};

/** Names of older versions, with their current names. */
export const olderNames: Readonly<Record<string, string>> = {
  min_share_resources: 'strong_guarantee_resources',
  allow_aggressive_starvation_preemption: 'allow_aggressive_preemption',
  max_unpreemptible_running_job_count: 'max_unpreemptible_running_allocation_count',
  max_unpreemptable_running_job_count: 'max_unpreemptible_running_allocation_count',
  fair_share_preemption_timeout: 'fair_share_starvation_timeout',
  fair_share_preemption_tolerance: 'fair_share_starvation_tolerance',
  fair_share_aggressive_preemption_timeout: 'fair_share_aggressive_starvation_timeout',
  job_interrupt_timeout: 'allocation_preemption_timeout',
  job_count_preemption_timeout_coefficient: 'allocation_count_preemption_timeout_coefficient',
};

/** Of a pool, read apart from its properties. */
export const limitsOfPool = [
  'strong_guarantee_resources',
  'min_share_resources',
  'resource_limits',
  'max_share_ratio',
  'min_share_ratio',
  'integral_guarantees',
] as const;

/** Attributes of a tree that YTsaurus has no equivalent for. */
export const attributesOfCurtail = ['curtail_protect', 'curtail_delay', 'curtail_config'] as const;

function named(readers: Record<string, ReadValue>): Attributes {
  return Object.fromEntries(
    Object.entries(readers).map(([name, read]) => [name, { name: inCamelCase(name), read }]),
  );
}

function inCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export type AttributeValues = Record<string, unknown>;

/**
 * The attributes that have an effect here, by their names here. Others are kept in the text of the configuration, without
 * effect, and listed; null counts as absent. docs/reference/policies/fair-share.md §15
 *
 * @param elsewhere names that other code reads.
 */
export function readAttributes(
  entries: ReadonlyMap<string, Entry>,
  path: string,
  known: Attributes,
  elsewhere: readonly string[],
  problems: Problems,
): AttributeValues {
  const values: AttributeValues = {};
  for (const [written, { key, value }] of entries) {
    if (elsewhere.includes(written)) continue;
    const name = (Object.hasOwn(olderNames, written) ? olderNames[written] : undefined) ?? written;
    const attribute = Object.hasOwn(known, name) ? known[name] : undefined;
    const valuePath = at(path, written);
    if (attribute === undefined && written.startsWith('curtail_')) {
      problems.error(valuePath, `unknown attribute; a tree can have ${attributesOfCurtail.join(', ')}`, key);
    } else if (attribute === undefined) {
      problems.warning('ignored-attribute', valuePath, 'is kept, and has no effect here', key);
    } else if (name !== written && entries.has(name)) {
      problems.error(valuePath, `is the older name of ${name}, which is here too; remove one of them`, key);
    } else if (!isNull(value)) {
      const read = attribute.read(value, valuePath, problems);
      if (read !== undefined) values[attribute.name] = read;
    }
  }
  return values;
}
