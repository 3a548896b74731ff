/** The part of a report that decides freshness. Its content does not matter here. */
export interface ReportHeader {
  kind: 'report' | 'page' | 'confirmation';
  /** Absent: a confirmation that names none. */
  sequence?: number | undefined;
  /** By the clock of the sender. */
  at: Date;
  /** The CloudEvents source. */
  source?: string | undefined;
}

/** The known state of the sender of a partition. Times are by its clock. */
export interface SenderState {
  source: string | null;
  /** The time of its last accepted report; null = never. */
  lastReportAt: Date | null;
  /** The sequence of the last complete listing, and of a held one; 0 = none. */
  listedSequence: number;
  heldSequence: number;
  /** The greatest accepted sequence, and when it was sent. */
  newestSequence: number;
  newestAt: Date | null;
  /** The newest sent sequence according to the latest confirmation; 0 = none. */
  confirmedSequence: number;
  confirmedAt: Date | null;
  /** The last report whose sequence went back, if no newer report was accepted since. */
  rejected: Rejected | null;
}

export interface Rejected {
  at: Date;
  sequence: number;
  source: string | null;
  /** Since it began. */
  count: number;
}

/** Senders have threads: of reports sent at the same moment, a later one may have a lower sequence. */
const slackMs = 1000;

/**
 * Computes the state of a sender after a batch of reports, in any order.
 *
 * 1. The report with the greatest sequence is the newest.
 * 2. A report went back if it was sent later than the newest and has a lower sequence. Late and repeated reports did not go back:
 *    they were sent earlier. The pages of a listing share a sequence while newer reports are sent; they went back if their
 *    listing is older than the last whole one. A partition with such reports is not known: some of them change nothing.
 * 3. This ends when the newest report was sent after the last one that went back.
 * 4. `lastReportAt` advances with reports newer than all before, with pages of a listing that is still needed, and with confirmations
 *    that name at least the newest sequence, or no sequence while nothing went back. No other report advances it.
 */
export function trackSender(known: SenderState, batch: readonly ReportHeader[]): SenderState {
  const newest = newestOf(known, batch);
  const back = batch.filter((header) => wentBack(header, newest, known.listedSequence));
  const rejected = rejectedBy(known, newest.at, back);
  const floor = Math.max(known.listedSequence, known.heldSequence);
  const accepted = batch.filter((header) => {
    const { kind, sequence } = header;
    if (back.includes(header)) return false;
    if (sequence === undefined) return rejected === null;
    if (kind === 'confirmation') return sequence >= newest.sequence;
    return sequence > known.newestSequence || (kind === 'page' && sequence > floor);
  });
  const last = latest(accepted);
  const confirmed = latest(
    batch.filter(
      (header) => header.kind === 'confirmation' && header.sequence !== undefined && !back.includes(header),
    ),
  );
  const isNewerConfirmation = confirmed !== undefined && !isAfter(known.confirmedAt, confirmed.at);
  return {
    ...known,
    source: last?.source ?? known.source,
    lastReportAt: last && !isAfter(known.lastReportAt, last.at) ? last.at : known.lastReportAt,
    newestSequence: newest.sequence,
    newestAt: newest.at,
    confirmedSequence: isNewerConfirmation ? confirmed.sequence! : known.confirmedSequence,
    confirmedAt: isNewerConfirmation ? confirmed.at : known.confirmedAt,
    rejected,
  };
}

interface Newest {
  sequence: number;
  at: Date | null;
}

/** A confirmation of the newest sequence states that it is still the newest at that time. */
function newestOf(known: SenderState, batch: readonly ReportHeader[]): Newest {
  let newest: Newest = { sequence: known.newestSequence, at: known.newestAt };
  for (const { kind, sequence, at } of batch) {
    if (kind === 'confirmation' || sequence === undefined) continue;
    if (sequence > newest.sequence) newest = { sequence, at };
  }
  for (const { kind, sequence, at } of batch) {
    if (kind !== 'confirmation' || sequence !== newest.sequence) continue;
    if (!isAfter(newest.at, at)) newest = { sequence, at };
  }
  return newest;
}

function wentBack({ kind, sequence, at }: ReportHeader, newest: Newest, listedSequence: number): boolean {
  if (sequence === undefined || newest.at === null) return false;
  if (kind === 'page') return sequence < listedSequence && at > newest.at;
  return sequence < newest.sequence && at.getTime() > newest.at.getTime() + slackMs;
}

function rejectedBy(
  known: SenderState,
  newestAt: Date | null,
  back: readonly ReportHeader[],
): Rejected | null {
  const last = latest(back);
  const before = known.rejected;
  const at = last && !isAfter(before?.at ?? null, last.at) ? last.at : before?.at;
  if (at === undefined || !isAfter(at, newestAt ?? at)) return null;
  const count = (before?.count ?? 0) + back.length;
  if (last === undefined) return before;
  return { at, sequence: last.sequence!, source: last.source ?? null, count };
}

function latest(all: readonly ReportHeader[]): ReportHeader | undefined {
  return all.reduce<ReportHeader | undefined>(
    (found, header) => (found && found.at >= header.at ? found : header),
    undefined,
  );
}

const isAfter = (at: Date | null, other: Date): boolean => at !== null && at > other;
