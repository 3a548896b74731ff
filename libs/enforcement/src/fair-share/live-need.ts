import type { Resources, SnapshotApplication } from '#contracts';

/** The need that a victim serves, right before the victim is asked to finish or killed. */
export type LiveNeed =
  /** Of `starvation` and `aggressive-starvation`. */
  | {
      /** The operation that is to start in its place; undefined = it is gone. */
      operation: Pick<SnapshotApplication, 'queue' | 'pending' | 'properties'> | undefined;
      /** The node of the victim, where the operation is to start; null = it is gone. Absent: it is not known. */
      node?: LivePlace | null;
      /** As of the last round: the operation, if it starves, and the pools above it that do. */
      starving: readonly Starving[];
    }
  /** Of `resource-limits` and `overcommit`: by how much its node, its operation or a pool above holds too much now. */
  | { over: readonly Resources[] };

/** A node with its usage, and the part of the usage that is leaving. */
export interface LivePlace {
  capacity: Resources;
  labels: Readonly<Record<string, string>>;
  /** Work starts there. */
  schedulable: boolean;
  usage: Resources;
  inFlight: Resources;
}

export interface Starving {
  kind: 'pool' | 'operation';
  /** The path of the pool, or the id of the operation. */
  name: string;
  state: 'starving' | 'aggressively_starving';
}
