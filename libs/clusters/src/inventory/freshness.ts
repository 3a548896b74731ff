import { counted, partitionOptionText } from '#contracts';
import type { IgnoredReason } from '#contracts/api';
import type { UnreadReports } from './reports-watermark.js';
import type { FeedMessages } from './senders.js';
import type { ReportHeader } from './track-sender.js';

/** Why a partition is not known well enough to evict by it. */
export interface NotKnown {
  code:
    | 'reports-unread'
    | 'reports-lost'
    | 'reports-missing'
    | 'bus-unreachable'
    | 'never-reported'
    | 'never-listed'
    | 'listing-held'
    | 'sequence-rejected'
    | 'sequence-stuck'
    | 'silent'
    | 'other-configuration';
  /** The problem. */
  message: string;
  /** The way to fix it. */
  remedy: string;
}

/** The recorded state of a partition that decides whether it is known. */
export interface Freshness {
  partition: string;
  lastReportAt: Date;
  isSilent: boolean;
  listedAt: Date | null;
  listedSequence: number;
  /** By the clock of the sender. */
  listingSentAt: Date | null;
  newestSequence: number;
  confirmedSequence: number;
  rejectedSince: Date | null;
  rejectedSequence: number | null;
  rejectedSource: string | null;
  rejectedCount: number;
  heldSequence: number | null;
  heldSince: Date | null;
  heldDrops: number | null;
  heldOf: number | null;
  /** The clusters that the reports and the configuration in force come from; null if they do not name one. */
  cluster: string | null;
  configuredCluster: string | null;
}

/** @returns why reports on the bus are not applied; undefined if all are. */
export function notRead(
  { behind, missing }: UnreadReports,
  placeOf: (partition: number) => string,
): NotKnown | undefined {
  if (missing.length > 0) {
    return {
      code: 'reports-lost',
      message: `reports on ${missing.map(placeOf).join(', ')} were deleted before they were applied, or the topic was created again`,
      remedy: 'check that config-ingest runs; then the scheduler must send a complete InventoryListed',
    };
  }
  if (behind.length === 0) return undefined;
  const reports = behind.reduce((sum, { messages }) => sum + messages, 0);
  const places = behind.map(({ partition, messages }) => `${messages} on ${placeOf(partition)}`).join(', ');
  return {
    code: 'reports-unread',
    message: `${counted(reports, 'report is', 'reports are')} not applied yet (${places})`,
    remedy: 'check that config-ingest runs and is not behind (curtail_consumer_lag_events)',
  };
}

/** The `since` of a finding is by the clock of the database. */
export interface FeedFinding extends NotKnown {
  since?: Date | null;
  /** The number of reports or listings concerned. */
  count?: number;
  source?: string | null;
}

/**
 * @param known undefined: nothing was ever reported.
 * @param gapAt when a loss of reports was last found.
 * @returns why the partition is not known although all reports are applied; the reason to fix first comes first.
 */
export function notKnown(
  partition: string,
  known: Freshness | undefined,
  terms: { staleSeconds: number; gapAt: Date | null },
): FeedFinding[] {
  if (known === undefined) {
    return [
      {
        code: 'never-reported',
        message: `no report of partition ${partition} has arrived yet`,
        remedy: 'its scheduler must send InventoryListed',
      },
    ];
  }
  return [otherConfiguration, sequenceBack, held, neverListed, missing, lost, silent].flatMap(
    (judge) => judge(known, terms) ?? [],
  );
}

type Terms = Parameters<typeof notKnown>[2];

/** The option that selects this partition in a command. */

/** The quotas of one cluster are not to be enforced by the work of another. */
function otherConfiguration({ partition, cluster, configuredCluster }: Freshness): FeedFinding | undefined {
  if (cluster === null || configuredCluster === null || cluster === configuredCluster) return undefined;
  return {
    code: 'other-configuration',
    message: `the configuration of partition ${partition} is from cluster ${configuredCluster}, but its reports are from cluster ${cluster}`,
    remedy: `restart the agents of cluster ${cluster}, which then submit its quotas`,
  };
}

function sequenceBack(known: Freshness): FeedFinding | undefined {
  const {
    partition,
    rejectedSince,
    rejectedSequence,
    rejectedSource,
    rejectedCount,
    newestSequence,
    isSilent,
  } = known;
  if (rejectedSince === null) return undefined;
  const reports = counted(rejectedCount, 'report');
  return {
    code: isSilent ? 'sequence-stuck' : 'sequence-rejected',
    message:
      `${reports} of partition ${partition} by ${rejectedSource ?? 'its scheduler'} had a lower sequence than an earlier ` +
      `report (${rejectedSequence} after ${newestSequence}), and may have had no effect`,
    remedy:
      `continue the sequence above ${newestSequence}, or run \`curtail inventory reset${partitionOptionText(partition)}\` and send a ` +
      'complete InventoryListed',
    since: rejectedSince,
    count: rejectedCount,
    source: rejectedSource,
  };
}

function held({ partition, heldSequence, heldSince, heldDrops, heldOf }: Freshness): FeedFinding | undefined {
  if (heldSequence === null) return undefined;
  return {
    code: 'listing-held',
    message:
      `listing ${heldSequence} of partition ${partition} is held, since it would remove ${heldDrops} of ${heldOf} ` +
      'running allocations',
    remedy:
      'if they are gone, send another complete InventoryListed with a greater sequence, or run ' +
      `\`curtail inventory accept${partitionOptionText(partition)}\``,
    since: heldSince,
  };
}

function neverListed({ partition, listedAt }: Freshness): FeedFinding | undefined {
  if (listedAt !== null) return undefined;
  return {
    code: 'never-listed',
    message: `partition ${partition} was never listed completely`,
    remedy: 'its scheduler must send all pages of InventoryListed',
  };
}

function missing({ partition, confirmedSequence, newestSequence }: Freshness): FeedFinding | undefined {
  if (confirmedSequence <= newestSequence) return undefined;
  return {
    code: 'reports-missing',
    message:
      `the scheduler of partition ${partition} has sent reports up to the sequence ${confirmedSequence}, and none above ` +
      `${newestSequence} was applied`,
    remedy: 'check curtail.dead-letters for its messages; it must send a complete InventoryListed',
  };
}

function lost({ partition, listedAt, listingSentAt }: Freshness, { gapAt }: Terms): FeedFinding | undefined {
  if (gapAt === null || listedAt === null || (listingSentAt ?? listedAt) > gapAt) return undefined;
  return {
    code: 'reports-lost',
    message: `reports were lost in transit before ${gapAt.toISOString()}, and partition ${partition} has not been listed completely since`,
    remedy: 'its scheduler must send a complete InventoryListed',
    since: gapAt,
  };
}

function silent(
  { partition, isSilent, lastReportAt }: Freshness,
  { staleSeconds }: Terms,
): FeedFinding | undefined {
  if (!isSilent) return undefined;
  return {
    code: 'silent',
    message:
      `the scheduler of partition ${partition} last reported at ${lastReportAt.toISOString()} by its clock, ` +
      `more than ${staleSeconds} s ago`,
    remedy: 'it must send InventoryConfirmed while nothing changes',
    since: lastReportAt,
  };
}

/** @param whyIgnored undefined: the report is not ignored. */
export function feedsOf(
  partition: string,
  headers: readonly ReportHeader[],
  whyIgnored: (header: ReportHeader) => IgnoredReason | undefined,
): FeedMessages[] {
  const feeds = new Map<string, FeedMessages>();
  for (const header of headers) {
    const { source = '', sequence, at } = header;
    const known = feeds.get(source);
    const feed: FeedMessages = known ?? {
      partition,
      kind: 'inventory',
      source,
      messages: 0,
      sequence,
      sentAt: at,
      ignored: {},
    };
    feeds.set(source, feed);
    feed.messages += 1;
    if (at > feed.sentAt || (at >= feed.sentAt && (sequence ?? 0) >= (feed.sequence ?? 0))) {
      feed.sentAt = at;
      feed.sequence = sequence ?? feed.sequence;
    }
    const reason = whyIgnored(header);
    if (reason) feed.ignored[reason] = (feed.ignored[reason] ?? 0) + 1;
  }
  return [...feeds.values()];
}
