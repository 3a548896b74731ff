import type {
  AllocationRole,
  AllocationState,
  Resources,
  SnapshotAllocation,
  SnapshotApplication,
  SnapshotNode,
} from '@curtail/contracts';

/** Columns as the queries of this folder name them; absent values are null in the database and absent outside it. */
export interface NodeRow {
  id: string;
  capacity: Resources;
  labels: Record<string, string>;
}

export interface ApplicationRow {
  id: string;
  queue: string;
  user: string | null;
  priority: number;
  submitted_at: Date | null;
  pending: { resources: Resources; count: number }[];
  properties: Record<string, unknown>;
}

export interface AllocationRow {
  id: string;
  uid: string;
  application: string;
  queue: string;
  node: string | null;
  resources: Resources;
  priority: number | null;
  role: AllocationRole;
  allow_preemption: boolean;
  started_at: Date;
  state: AllocationState;
}

export const ALLOCATION_COLUMNS =
  'id, uid, application, queue, node, resources, priority, role, allow_preemption, started_at, state';

export function toNode(row: NodeRow): SnapshotNode {
  return { id: row.id, capacity: row.capacity, labels: row.labels };
}

export function toApplication(row: ApplicationRow): SnapshotApplication {
  return {
    id: row.id,
    queue: row.queue,
    ...(row.user === null ? {} : { user: row.user }),
    priority: row.priority,
    ...(row.submitted_at === null ? {} : { submittedAt: row.submitted_at.toISOString() }),
    pending: row.pending,
    properties: row.properties,
  };
}

export function toAllocation(row: AllocationRow): SnapshotAllocation {
  return {
    id: row.id,
    application: row.application,
    queue: row.queue,
    ...(row.node === null ? {} : { node: row.node }),
    uid: row.uid,
    resources: row.resources,
    ...(row.priority === null ? {} : { priority: row.priority }),
    startedAt: row.started_at.toISOString(),
    role: row.role,
    allowPreemption: row.allow_preemption,
    state: row.state,
  };
}
