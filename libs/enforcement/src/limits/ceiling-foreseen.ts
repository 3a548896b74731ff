import { amountText, counted, type Notice, ofPartition, type Resources } from '#contracts';
import {
  type Ceilings,
  type CeilingUse,
  type ceilingCodes,
  noNodesKnown,
  shareExceeded,
  takenWith,
} from './ceilings.js';

/** A run that a change would lead to. */
export interface RunBeforeCeiling {
  /** RFC 3339; null: a stop holds it, and it counts as due now. */
  dueAt: string | null;
  victims: readonly { resources: Resources }[];
}

export interface ForeseenChange {
  partition: string;
  /** RFC 3339, now. */
  at: string;
  /** All runs of the new version. */
  runs: readonly RunBeforeCeiling[];
}

const hourMs = 3_600_000;

/**
 * The first ceiling that the runs of a change would exceed together, whereas `ceilingReached` judges one run; undefined: none. Runs that are
 * due more than an hour apart are not added up, except for the ceiling of a configuration.
 */
export function ceilingForeseen(
  { ceilingPerConfiguration, ceilingPerHour, ceilingClusterPercent }: Ceilings,
  use: Pick<CeilingUse, 'hour' | 'clusterSize'>,
  change: ForeseenChange,
): Notice | undefined {
  const { partition } = change;
  const foreseen = (code: (typeof ceilingCodes)[number], message: string): Notice => ({
    code,
    message,
    about: ofPartition(partition),
  });
  const all = change.runs.reduce((sum, { victims }) => sum + victims.length, 0);
  if (all === 0) return undefined;
  if (ceilingPerConfiguration !== null && all > ceilingPerConfiguration) {
    return foreseen(
      'ceiling-configuration',
      `The runs of this change would have ${counted(all, 'victim')}; more than ${ceilingPerConfiguration} need approval.`,
    );
  }
  const hours = hoursOf(change, use.hour);
  if (ceilingPerHour !== null) {
    const most = hours.reduce((a, b) => (b.victims > a.victims ? b : a));
    if (most.victims > ceilingPerHour) {
      return foreseen(
        'ceiling-hour',
        `Partition ${partition} would have ${counted(most.victims, 'victim')} within an hour, ${most.own} of them by this change; more than ${ceilingPerHour} need approval.`,
      );
    }
  }
  if (ceilingClusterPercent === null) return undefined;
  if (Object.keys(use.clusterSize).length === 0) {
    return foreseen('ceiling-cluster', noNodesKnown(partition, ceilingClusterPercent));
  }
  for (const hour of hours) {
    const exceeded = shareExceeded(ceilingClusterPercent, hour.taken, use.clusterSize);
    if (!exceeded) continue;
    const { type, taken, size } = exceeded;
    return foreseen(
      'ceiling-cluster',
      `Partition ${partition} would evict ${amountText(type, taken)} of the cluster's ${amountText(type, size)} within an hour, with what this change evicts; more than ${ceilingClusterPercent} % need approval.`,
    );
  }
  return undefined;
}

interface Hour {
  victims: number;
  /** Those of the change. */
  own: number;
  /** The resources of all of them, in the types of the change. */
  taken: Map<string, bigint>;
}

/** The hours that end when runs are due, each once: many runs of a change are due together. Victims that count now count in hours that begin before now. */
function hoursOf({ at, runs }: ForeseenChange, now: CeilingUse['hour']): Hour[] {
  const nowMs = Date.parse(at);
  const due = runs.map(({ dueAt, victims }) => ({
    ms: Math.max(nowMs, dueAt === null ? nowMs : Date.parse(dueAt)),
    victims,
  }));
  return [...new Set(due.map(({ ms }) => ms))].map((end) => {
    const own = due.flatMap(({ ms, victims }) => (ms <= end && ms > end - hourMs ? victims : []));
    const already = end - hourMs < nowMs ? now : { victims: 0, resources: {} };
    return {
      victims: already.victims + own.length,
      own: own.length,
      taken: takenWith(already.resources, own),
    };
  });
}
