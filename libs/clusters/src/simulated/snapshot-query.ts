import { momentOf } from '../tables/moment.js';
import { ALLOCATION_COLUMNS, type AllocationRow, type ApplicationRow, type NodeRow } from '../tables/rows.js';
import { inSubtree } from '../tables/subtree.js';
import { isThere } from './is-there.js';

/** An allocation in columns, or another thing as JSON. */
export type SnapshotRow =
  | ({ kind: 'allocation' } & AllocationRow)
  | { kind: 'application'; thing: Omit<ApplicationRow, 'submitted_at'> & { submitted_at: string | null } }
  | { kind: 'node'; thing: NodeRow }
  | { kind: 'moment'; thing: string };

/** For all columns of an allocation but its id. */
const noAllocation = Array(13).fill('NULL').join(', ');

/**
 * $1 partition, $2 queue, $3 moment or null. All that a snapshot consists of, as of one moment, which stands among it: one
 * statement sees one state, and needs no transaction around it.
 */
export const SNAPSHOT_QUERY = `
  SELECT 'allocation' AS kind, ${ALLOCATION_COLUMNS}, NULL::json AS thing FROM simulated_allocations
  WHERE partition = $1 AND ${inSubtree('queue', '$2::text')} AND ${isThere('$3')}
  UNION ALL
  SELECT 'application', id, ${noAllocation},
         json_build_object('id', id, 'queue', queue, 'user', "user", 'priority', priority, 'submitted_at', submitted_at,
                           'pending', pending, 'properties', properties)
  FROM simulated_applications WHERE partition = $1 AND ${inSubtree('queue', '$2::text')}
  UNION ALL
  SELECT 'node', id, ${noAllocation}, json_build_object('id', id, 'capacity', capacity, 'labels', labels)
  FROM simulated_nodes WHERE partition = $1
  UNION ALL
  SELECT 'moment', NULL, ${noAllocation}, to_json(${momentOf('$3')})
  ORDER BY kind, id`;

/** Each kind for itself, in the order of the ids. */
export function apart(rows: SnapshotRow[]): {
  takenAt: Date;
  nodes: NodeRow[];
  applications: ApplicationRow[];
  allocations: AllocationRow[];
} {
  return {
    takenAt: new Date(rows.flatMap((row) => (row.kind === 'moment' ? [row.thing] : []))[0]!),
    nodes: rows.flatMap((row) => (row.kind === 'node' ? [row.thing] : [])),
    applications: rows.flatMap((row) => (row.kind === 'application' ? [withDate(row.thing)] : [])),
    allocations: rows.filter((row) => row.kind === 'allocation'),
  };
}

const withDate = ({
  submitted_at: at,
  ...rest
}: Omit<ApplicationRow, 'submitted_at'> & { submitted_at: string | null }): ApplicationRow => ({
  ...rest,
  submitted_at: at === null ? null : new Date(at),
});
