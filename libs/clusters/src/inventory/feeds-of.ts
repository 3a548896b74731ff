import type { IgnoredReason } from '#contracts/api';
import type { FeedMessages } from './senders.js';
import type { ReportHeader } from './track-sender.js';

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
