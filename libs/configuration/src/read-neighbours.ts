import { at, type Field } from './field.js';
import { type Entries, entriesOf, itemsOf } from './keys.js';
import type { Problems } from './problems.js';

/**
 * The parts of a configuration that the scheduler reads and Curtail does not: only their keys are checked.
 * docs/reference/policies/quota-decrease.md §2.4 rule 6
 */
export function readNeighbours(partition: Entries, path: string, problems: Problems): void {
  const value = (key: string) => partition.get(key)?.value;
  readLimits(value('limits'), at(path, 'limits'), problems);
  entriesOf(value('nodesortpolicy'), at(path, 'nodesortpolicy'), 'nodeSortPolicy', problems);
  entriesOf(value('usergroupresolver'), at(path, 'usergroupresolver'), 'userGroupResolver', problems);
  const rulesPath = at(path, 'placementrules');
  for (const [index, rule] of itemsOf(value('placementrules'), rulesPath, problems).entries()) {
    readPlacementRule(rule, `${rulesPath}[${index}]`, problems);
  }
}

export function readLimits(field: Field | undefined, path: string, problems: Problems): void {
  for (const [index, limit] of itemsOf(field, path, problems).entries()) {
    entriesOf(limit, `${path}[${index}]`, 'limit', problems);
  }
}

/** A rule may have a parent, which is itself a rule. */
function readPlacementRule(field: Field | undefined, path: string, problems: Problems): void {
  const entries = entriesOf(field, path, 'placementRule', problems);
  entriesOf(entries?.get('filter')?.value, at(path, 'filter'), 'filter', problems);
  const parent = entries?.get('parent')?.value;
  if (parent !== undefined) readPlacementRule(parent, at(path, 'parent'), problems);
}
