import type { DisruptionBudget, SnapshotAllocation, SnapshotApplication, SnapshotNode } from '#contracts';
import { largeQueries } from '../tables/large-reads.js';
import {
  ALLOCATION_COLUMNS,
  type AllocationRow,
  type ApplicationRow,
  momentOf,
  type NodeRow,
  SharedParts,
  toAllocation,
  toApplication,
  toNode,
} from '../tables/rows.js';
import { inSubtree } from '../tables/statements.js';
import { isThere } from './place.js';

/** An allocation in columns, or another thing as JSON. */
export type SnapshotRow =
  | ({ kind: 'allocation' } & AllocationRow)
  | { kind: 'application'; thing: Omit<ApplicationRow, 'submitted_at'> & { submitted_at: string | null } }
  | { kind: 'node'; thing: NodeRow }
  | { kind: 'budget'; thing: DisruptionBudget }
  | { kind: 'moment'; thing: string }
  | { kind: 'count'; thing: number };

const allocations = `
  FROM simulated_allocations WHERE partition = $1 AND ${inSubtree('queue', '$2::text')} AND ${isThere('$3')}`;

/**
 * @param noAllocation NULL for each column of an allocation but its id.
 * @param also a further condition.
 */
const others = (noAllocation: string, also = 'true') => `
  SELECT 'application' AS kind, id${noAllocation},
         json_build_object('id', id, 'queue', queue, 'user', "user", 'priority', priority, 'submitted_at', submitted_at,
                           'pending', pending, 'properties', properties, 'gang', gang) AS thing
  FROM simulated_applications WHERE partition = $1 AND ${inSubtree('queue', '$2::text')} AND ${also}
  UNION ALL
  SELECT 'node', id${noAllocation}, json_build_object('id', id, 'capacity', capacity, 'labels', labels)
  FROM simulated_nodes WHERE partition = $1 AND ${also}
  UNION ALL
  SELECT 'budget', id${noAllocation}, json_build_object('id', id, 'allowed', allowed)
  FROM simulated_budgets WHERE partition = $1 AND ${also}
  UNION ALL
  SELECT 'moment', NULL${noAllocation}, to_json(${momentOf('$3')})`;

const noAllocation = ', NULL'.repeat(15);
const areFew = '(SELECT count FROM counted) <= $4';

/**
 * $1 partition, $2 queue, $3 moment or null, $4 a number. Everything in a snapshot as of one moment, and that moment, if there are at most so
 * many allocations; and their number, up to one more. One statement reads one state, and needs no transaction.
 */
export const SNAPSHOT_QUERY = `
  WITH counted AS MATERIALIZED (SELECT count(*)::int AS count FROM (SELECT ${allocations} LIMIT $4 + 1) AS rows)
  SELECT 'allocation' AS kind, ${ALLOCATION_COLUMNS}, NULL::json AS thing ${allocations} AND ${areFew}
  UNION ALL
  ${others(noAllocation, areFew)}
  UNION ALL
  SELECT 'count', NULL${noAllocation}, to_json(count) FROM counted
  ORDER BY kind, id`;

/** $1 to $3 as above. Everything but the allocations, as one row of each kind: the driver takes long for a row of each. */
export const OTHERS_QUERY = `
  SELECT kind, json_agg(thing ORDER BY id) AS things FROM (${others('')}) AS other GROUP BY kind`;

/** A row of `OTHERS_QUERY`. */
export type OtherRows = {
  [kind in OtherRow['kind']]: { kind: kind; things: Extract<OtherRow, { kind: kind }>['thing'][] };
}[OtherRow['kind']];
type OtherRow = Exclude<SnapshotRow, { kind: 'allocation' }>;

/** $1 to $3 as above. */
export const LARGE_SIMULATED_QUERIES = largeQueries(allocations, 3);

/** $1 to $3 as above, $4 the maximum number of rows. One row for each allocation. */
export const COUNTED = `SELECT ${allocations} LIMIT $4`;

/** Collects the parts of a snapshot from streamed rows, each kind in the order of the ids. */
export class SnapshotParts {
  takenAt = new Date(Number.NaN);
  /** Of the allocations, as `SNAPSHOT_QUERY` has counted them. */
  count = 0;
  readonly nodes: SnapshotNode[] = [];
  /** All of the partition. */
  readonly budgets: DisruptionBudget[] = [];
  readonly applications: SnapshotApplication[] = [];
  allocations: SnapshotAllocation[] = [];
  private readonly shared = new SharedParts();

  add(row: SnapshotRow): void {
    if (row.kind === 'allocation') this.allocations.push(toAllocation(row, this.shared));
    else if (row.kind === 'application') this.applications.push(toApplication(withDate(row.thing)));
    else if (row.kind === 'node') this.nodes.push(toNode(row.thing));
    else if (row.kind === 'budget') this.budgets.push(row.thing);
    else if (row.kind === 'count') this.count = row.thing;
    else this.takenAt = new Date(row.thing);
  }
}

const withDate = ({
  submitted_at: at,
  ...rest
}: Omit<ApplicationRow, 'submitted_at'> & { submitted_at: string | null }): ApplicationRow => ({
  ...rest,
  submitted_at: at === null ? null : new Date(at),
});
