import {
  type Notice,
  nodeLabelsSentence,
  ofEnforcement,
  ofPartition,
  ofQueue,
  type RunStatus,
  waitingForApproval,
} from '#contracts';
import type { FlappingWait } from './clock/flapping.js';
import { toMs } from './instants.js';
import { type Frozen, type Stop, stoppedBy } from './run/control.js';

/** A clock that runs, as far as it explains its wait. */
export interface WaitingClock {
  partition: string;
  /** undefined: it starts rounds of a policy. */
  enforcement: string | undefined;
  /** RFC 3339 */
  dueAt: string;
  suspended: boolean;
}

/** What holds back a clock. */
export interface ClockHolds {
  /** The node labels of the configuration, which suspend every clock of the partition. */
  nodeLabels?: readonly string[] | undefined;
  /** The stop that covers the queue. */
  stop?: Stop | undefined;
  /** The freeze that holds the clock now, or when it falls due. */
  frozen?: Frozen | undefined;
  /** Its max goes up and down, and so it is due later. */
  flapping?: FlappingWait | undefined;
  /** Why the cluster is not known, without a full stop. */
  unknown?: string | undefined;
  /** The run of a queue above, for which a due clock waits. */
  above?: { queue: string; enforcement: string } | undefined;
  /** The run of a queue above that is in progress, or due before this one, while this clock runs: it has to end first. */
  before?: { queue: string; enforcement: string } | undefined;
  /** The quota is a share of a cluster whose size is not known. */
  noSize?: boolean | undefined;
}

/** The state of a run, and of the victims that it has not settled. */
export interface WaitingRun {
  partition: string;
  enforcement: string;
  state: RunStatus;
  /** Why it needs an approval, a sentence. */
  message: string | null;
  /** Victims that can be evicted now. */
  ready: number;
  /** Victims that refused, and are requested again later. */
  refused: number;
  /** The refusal of the first of them. */
  refusal?: { allocation: string; message: string | null } | undefined;
  /** Victims whose owners have time to finish. */
  asked: number;
  /** Victims that wait only for extensions of their owners; they count nowhere else. */
  extended?: { victims: number; first: string; until: string } | undefined;
}

/** Why a clock has not started its run: its delay, or what keeps a due clock from starting (docs/reference/cli.md, "curtail get"). */
export function whyClockWaits(
  { partition, enforcement, dueAt, suspended }: WaitingClock,
  { nodeLabels = [], stop, frozen, flapping, unknown, above, before, noSize }: ClockHolds,
  at: string,
): Notice {
  const run = enforcement === undefined ? 'The next round' : `Run ${enforcement}`;
  const about = enforcement === undefined ? ofPartition(partition) : ofEnforcement(enforcement);
  if (suspended) {
    const off =
      nodeLabels.length > 0 ? nodeLabelsSentence(nodeLabels) : 'Quota preemption is off in this partition.';
    const why = stop ? stoppedBy(stop) : off;
    return {
      code: 'suspended',
      message: `${run} is suspended. ${why}`,
      about: stop?.queue ? ofQueue(stop.queue) : ofPartition(partition),
    };
  }
  if (frozen) {
    const isDueBefore = toMs(dueAt) < toMs(frozen.until);
    const due = isDueBefore ? ` is due at ${dueAt} and` : '';
    return {
      code: 'frozen',
      message: `${run}${due} waits until ${frozen.until}: ${stoppedBy(frozen.freeze)}`,
      about: frozen.freeze.queue === null ? ofPartition(partition) : ofQueue(frozen.freeze.queue),
    };
  }
  if (flapping && toMs(dueAt) > toMs(at)) {
    return {
      code: 'flapping',
      message: `${run} is due at ${dueAt}, not at ${flapping.dueAt}. ${flapping.because}`,
      about: ofQueue(flapping.queue),
    };
  }
  if (before && toMs(dueAt) > toMs(at)) {
    return {
      code: 'ancestor-first',
      message: `${run} is due at ${dueAt}, but not before the end of run ${before.enforcement} of ${before.queue}, which is above it.`,
      about: ofEnforcement(before.enforcement),
    };
  }
  if (toMs(dueAt) > toMs(at)) return { code: 'due', message: `${run} is due at ${dueAt}.`, about };
  const late = `${run} was due at ${dueAt} and`;
  if (unknown !== undefined) return clusterUnknown(late, unknown, partition);
  if (above) {
    return {
      code: 'ancestor-running',
      message: `${late} waits for run ${above.enforcement} of ${above.queue}, which is above it.`,
      about: ofEnforcement(above.enforcement),
    };
  }
  if (noSize) {
    return {
      code: 'size-unknown',
      message: `${late} waits for the nodes of the cluster: its quota is a share of their size.`,
      about: ofPartition(partition),
    };
  }
  return { code: 'overdue', message: `${late} has not started yet.`, about };
}

/** Why a run in progress does not continue; undefined: it continues. */
export function whyRunWaits(
  { partition, enforcement, state, message, ready, refused, refusal, asked, extended }: WaitingRun,
  { unknown }: Pick<ClockHolds, 'unknown'>,
): Notice | undefined {
  const run = `Run ${enforcement}`;
  const about = ofEnforcement(enforcement);
  if (state === waitingForApproval) {
    return {
      code: 'approval',
      message: `${run} waits for approval${message === null ? '.' : `: ${message}`}`,
      about,
    };
  }
  if (unknown !== undefined) return clusterUnknown(run, unknown, partition);
  if (ready > 0) return undefined;
  if (refused > 0) {
    const first = refusal
      ? `, first of ${refusal.allocation}${refusal.message ? `: ${refusal.message}` : '.'}`
      : '.';
    return {
      code: 'refused',
      message: `${run} will request ${refused === 1 ? 'a refused eviction' : `${refused} refused evictions`} again${first}`,
      about,
    };
  }
  if (extended) {
    const { victims, first, until } = extended;
    const whose =
      victims === 1 ? `${first}, whose owner` : `${victims} victims whose owners, first that of ${first},`;
    return {
      code: 'extension',
      message: `${run} waits until ${until} for ${whose} extended ${victims === 1 ? 'its' : 'their'} time.`,
      about,
    };
  }
  if (asked > 0) {
    return {
      code: 'grace',
      message: `${run} waits for ${asked === 1 ? 'a victim that was' : `${asked} victims that were`} asked to finish.`,
      about,
    };
  }
  return undefined;
}

const clusterUnknown = (what: string, why: string, partition: string): Notice => ({
  code: 'cluster-unknown',
  message: `${what} waits for the scheduler of partition ${partition}: ${why}.`,
  about: ofPartition(partition),
});
