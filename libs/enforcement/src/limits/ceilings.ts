import { amountText, counted, type Notice, ofPartition, type Resources } from '#contracts';
import { amountOf } from '../amounts.js';
import { hasOutcome, outcomeOfVictim, type PlannedVictim, type RunState } from '../run/run-state.js';

/** Limits over all runs of a partition, beyond which an operator has to approve; null: none. docs/how-to/ceilings.md */
export interface Ceilings {
  /** Victims within an hour. */
  ceilingPerHour: number | null;
  /** Victims of all runs that one version of the configuration causes. */
  ceilingPerConfiguration: number | null;
  /** Resources of the victims within an hour, in whole percent of the cluster, in any type. */
  ceilingClusterPercent: number | null;
}

/** The victims that count besides those of the run that is judged. */
export interface CeilingUse {
  /** Evicted within the last hour, or planned by runs that have been admitted and are not over. */
  hour: { victims: number; resources: Resources };
  /** Evicted or planned by other runs of the same version of the configuration, admitted or not; 0 for a run without one. */
  ofConfiguration: number;
  /** The capacities of all nodes; `{}` while no nodes are known. */
  clusterSize: Resources;
}

export interface CountedRun {
  partition: string;
  /** The version that causes it; undefined: none, or not known. */
  configuration: number | undefined;
  /** Those that it has evicted or may evict. */
  victims: readonly { resources: Resources }[];
}

/** The codes of the reasons that `ceilingReached` returns. */
export const ceilingCodes = ['ceiling-configuration', 'ceiling-hour', 'ceiling-cluster'] as const;

export const hasCeiling = (ceilings: Ceilings): boolean =>
  Object.values(ceilings).some((ceiling) => ceiling !== null);

/**
 * The first ceiling that the partition would exceed if the run evicted all its victims; undefined: none. Exact: shares are
 * compared as fractions. A cluster of unknown size cannot be judged, and counts as exceeded.
 */
export function ceilingReached(ceilings: Ceilings, use: CeilingUse, run: CountedRun): Notice | undefined {
  const own = run.victims.length;
  if (own === 0) return undefined;
  const { ceilingPerHour, ceilingPerConfiguration, ceilingClusterPercent } = ceilings;
  const { partition, configuration } = run;
  const reached = (code: (typeof ceilingCodes)[number], message: string): Notice => ({
    code,
    message,
    about: ofPartition(partition),
  });
  if (ceilingPerConfiguration !== null && configuration !== undefined) {
    const all = use.ofConfiguration + own;
    if (all > ceilingPerConfiguration) {
      return reached(
        'ceiling-configuration',
        `The runs of configuration ${configuration} have ${counted(all, 'victim')} so far, ${own} of them in this run; more than ${ceilingPerConfiguration} need approval.`,
      );
    }
  }
  if (ceilingPerHour !== null && use.hour.victims + own > ceilingPerHour) {
    return reached(
      'ceiling-hour',
      `Partition ${partition} would have ${counted(use.hour.victims + own, 'victim')} within an hour, ${own} of them in this run; more than ${ceilingPerHour} need approval.`,
    );
  }
  return ceilingClusterPercent === null
    ? undefined
    : shareReached(ceilingClusterPercent, use, run, (message) => reached('ceiling-cluster', message));
}

function shareReached(
  percent: number,
  { hour, clusterSize }: CeilingUse,
  { partition, victims }: CountedRun,
  reached: (message: string) => Notice,
): Notice | undefined {
  if (Object.keys(clusterSize).length === 0) return reached(noNodesKnown(partition, percent));
  const exceeded = shareExceeded(percent, takenWith(hour.resources, victims), clusterSize);
  if (!exceeded) return undefined;
  const { type, taken, size } = exceeded;
  return reached(
    `Partition ${partition} would evict ${amountText(type, taken)} of the cluster's ${amountText(type, size)} within an hour; more than ${percent} % need approval.`,
  );
}

export const noNodesKnown = (partition: string, percent: number): string =>
  `No nodes of partition ${partition} are known, so the ceiling of ${percent} % of the cluster cannot be judged; the evictions need approval.`;

/** The resources of all victims, and what is taken already, in the types that the victims use. */
export function takenWith(
  already: Resources,
  victims: readonly { resources: Resources }[],
): Map<string, bigint> {
  const taken = new Map<string, bigint>();
  for (const { resources } of victims) {
    for (const [type, amount] of Object.entries(resources)) {
      taken.set(type, (taken.get(type) ?? BigInt(amountOf(already, type))) + BigInt(amount));
    }
  }
  return taken;
}

/** The first resource type, by name, of which more than this share of the cluster is taken. */
export function shareExceeded(
  percent: number,
  taken: ReadonlyMap<string, bigint>,
  clusterSize: Resources,
): { type: string; taken: number; size: number } | undefined {
  for (const [type, amount] of [...taken].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const size = amountOf(clusterSize, type);
    if (amount * 100n > BigInt(size) * BigInt(percent)) return { type, taken: Number(amount), size };
  }
  return undefined;
}

/** The victims of a run that it has evicted, may have evicted, or may still evict. */
export function countedVictims(state: RunState): PlannedVictim[] {
  return (state.planned?.plan.victims ?? []).filter(
    ({ rank }) =>
      !hasOutcome(state, rank) ||
      outcomeOfVictim(state, rank) === 'evicted' ||
      state.possiblyEvicted.has(rank),
  );
}
