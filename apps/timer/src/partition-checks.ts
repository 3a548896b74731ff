import { type Clock, StreamConflict } from '#event-store';
import type { CheckOptions, CheckOutcome } from './start-due-runs.js';

/** Each time at least one other has made progress. */
const mostTries = 10;

/**
 * For one partition: one reads the timers that will be due while another records the runs that it has started. Their
 * decisions take turns.
 */
const checksAtOnce = 3;

/** The checks of one partition. */
interface Checks {
  /** Under way, `checksAtOnce` at most. */
  going: Set<Promise<void>>;
  /** Resolves when the leading check has finished its page; absent: no check leads. */
  leading?: Promise<void> | undefined;
  /** Resolves when the check is done that begins as soon as one of `going` is; absent: none was requested. */
  next?: Promise<void> | undefined;
  /** The latest moment that `next` was requested for. */
  nextBy: Date;
}

/**
 * The checks of due timers that are under way in this process, partition by partition.
 *
 *   requested ──▶ under way ──▶ done
 *       │             ▲
 *       └──▶ next ────┘        while `checksAtOnce` are under way: one for all requests
 *
 * A check that is under way works in pages, until nothing more is due:
 * - It leads if no other check of its partition does: it handles whatever is due.
 * - Else it works beside the leading check: it handles a few due timers. If many are due, it leaves them, waits until the
 *   leading check has finished its page, and begins its next page.
 *
 * Requests are kept in memory only: after a crash the first sweep finds what is due.
 */
export class PartitionChecks {
  private readonly ofPartitions = new Map<string, Checks>();
  private stopping = false;

  /** @param checkPage checks one page of due timers; after a conflict it is called again. */
  constructor(
    private readonly clock: Clock,
    private readonly checkPage: (partition: string, options: CheckOptions) => Promise<CheckOutcome>,
  ) {}

  /**
   * Checks the timers of a partition that are due by a moment that may be slightly in the future. Resolves when a check
   * that began after this call is done.
   */
  request(partition: string, by = this.clock.now()): Promise<void> {
    if (this.stopping) return Promise.resolve();
    const checks = this.ofPartitions.get(partition) ?? { going: new Set(), nextBy: by };
    this.ofPartitions.set(partition, checks);
    if (checks.going.size < checksAtOnce) return this.begin(partition, by, checks);
    checks.nextBy = checks.next && checks.nextBy > by ? checks.nextBy : by;
    checks.next ??= Promise.race([...checks.going].map((going) => going.catch(() => {}))).then(() => {
      checks.next = undefined;
      return this.request(partition, checks.nextBy);
    });
    return checks.next;
  }

  /** Begins no further check or page, and resolves when those under way are done. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.allSettled([...this.ofPartitions.values()].flatMap(({ going }) => [...going]));
  }

  private begin(partition: string, by: Date, checks: Checks): Promise<void> {
    const going = this.checkUntilDone(partition, by, checks).finally(() => {
      checks.going.delete(going);
      if (checks.going.size === 0 && !checks.next) this.ofPartitions.delete(partition);
    });
    checks.going.add(going);
    return going;
  }

  private async checkUntilDone(partition: string, by: Date, checks: Checks): Promise<void> {
    let more = true;
    while (more && !this.stopping) {
      const outcome = checks.leading
        ? await this.checkBeside(partition, by, checks.leading)
        : await this.lead(partition, by, checks);
      more = outcome.more || outcome.left;
    }
  }

  private async checkBeside(partition: string, by: Date, leading: Promise<void>): Promise<CheckOutcome> {
    const outcome = await this.checkAgainOnConflict(partition, { by, isSecond: true });
    if (outcome.left) await leading;
    return outcome;
  }

  private async lead(partition: string, by: Date, checks: Checks): Promise<CheckOutcome> {
    let pageIsOver = () => {};
    checks.leading = new Promise((resolve) => {
      pageIsOver = resolve;
    });
    try {
      return await this.checkAgainOnConflict(partition, { by });
    } finally {
      checks.leading = undefined;
      pageIsOver();
    }
  }

  /** A clock changed during its check: the check is repeated at once. */
  private async checkAgainOnConflict(partition: string, options: CheckOptions): Promise<CheckOutcome> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.checkPage(partition, options);
      } catch (error) {
        if (!(error instanceof StreamConflict) || tries === mostTries) throw error;
      }
    }
  }
}
