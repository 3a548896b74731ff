/** One report as far as freshness is concerned: what it says plays no part. */
export interface Said {
  kind: 'report' | 'page' | 'confirmation';
  /** Absent: a confirmation that names none. */
  sequence?: number;
  /** By the clock of the sender. */
  at: Date;
  /** The CloudEvents source. */
  source?: string | undefined;
}

/** What is known of the sender of a partition. Times are by its clock. */
export interface SenderState {
  source: string | null;
  /** When it last said something that was taken; null = never. */
  heardAt: Date | null;
  /** Of the last whole listing, and of one that is held; 0 = none. */
  listedSequence: number;
  heldSequence: number;
  /** The greatest sequence that was taken, and when it was said. */
  newestSequence: number;
  newestAt: Date | null;
  /** What the latest confirmation named as the newest sequence that was sent; 0 = none. */
  confirmedSequence: number;
  confirmedAt: Date | null;
  /** Of the last report whose sequence went back, if nothing newer was taken since. */
  rejected: Rejected | null;
}

export interface Rejected {
  at: Date;
  sequence: number;
  source: string | null;
  /** Since it began. */
  count: number;
}

/** Of reports that are said at the same moment, a later one may carry a lower sequence: senders have threads. */
const slackMs = 1000;

/**
 * Takes in a batch of reports, in any order.
 *
 * 1. The report with the greatest sequence is the newest.
 * 2. A report went back if it was said later than the newest and carries a lower sequence. Late and repeated reports do not:
 *    they were said earlier. The pages of a listing share a sequence while newer reports are sent; they went back if their
 *    listing is older than the last whole one. A partition with such reports is not known: some of them change nothing.
 * 3. That is over as soon as the newest report was said after the last one that went back.
 * 4. A sender is heard by what is newer than everything before, by pages of a listing that is still wanted, and by confirmations that
 *    name at least the newest sequence, or none while nothing went back. All else refreshes nothing.
 */
export function listen(known: SenderState, batch: readonly Said[]): SenderState {
  const newest = newestOf(known, batch);
  const back = batch.filter((said) => wentBack(said, newest, known.listedSequence));
  const rejected = rejectedBy(known, newest.at, back);
  const floor = Math.max(known.listedSequence, known.heldSequence);
  const heard = batch.filter((said) => {
    const { kind, sequence } = said;
    if (back.includes(said)) return false;
    if (sequence === undefined) return rejected === null;
    if (kind === 'confirmation') return sequence >= newest.sequence;
    return sequence > known.newestSequence || (kind === 'page' && sequence > floor);
  });
  const last = latest(heard);
  const confirmed = latest(
    batch.filter(
      (said) => said.kind === 'confirmation' && said.sequence !== undefined && !back.includes(said),
    ),
  );
  const isNewerConfirmation = confirmed !== undefined && !isAfter(known.confirmedAt, confirmed.at);
  return {
    ...known,
    source: last?.source ?? known.source,
    heardAt: last && !isAfter(known.heardAt, last.at) ? last.at : known.heardAt,
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

/** A confirmation of the newest sequence says that it still is the newest at that time. */
function newestOf(known: SenderState, batch: readonly Said[]): Newest {
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

function wentBack({ kind, sequence, at }: Said, newest: Newest, listedSequence: number): boolean {
  if (sequence === undefined || newest.at === null) return false;
  if (kind === 'page') return sequence < listedSequence && at > newest.at;
  return sequence < newest.sequence && at.getTime() > newest.at.getTime() + slackMs;
}

function rejectedBy(known: SenderState, newestAt: Date | null, back: readonly Said[]): Rejected | null {
  const last = latest(back);
  const before = known.rejected;
  const at = last && !isAfter(before?.at ?? null, last.at) ? last.at : before?.at;
  if (at === undefined || !isAfter(at, newestAt ?? at)) return null;
  const count = (before?.count ?? 0) + back.length;
  if (last === undefined) return before;
  return { at, sequence: last.sequence!, source: last.source ?? null, count };
}

function latest(all: readonly Said[]): Said | undefined {
  return all.reduce<Said | undefined>(
    (found, said) => (found && found.at >= said.at ? found : said),
    undefined,
  );
}

const isAfter = (at: Date | null, other: Date): boolean => at !== null && at > other;
