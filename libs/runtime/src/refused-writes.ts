import { probeWrite } from '#event-store';
import { type DatabaseRefusal, Down, databaseRefusal } from '#platform';

/** While the database refuses writes, it is asked this often whether it takes them again. */
const askAgainMs = 5000;
/** Without a failed write, a check writes no more often than this: it finds a full disk where nothing else is written. */
const checkEveryMs = 30_000;

/**
 * Remembers that the database refuses every write, since its disk is full or it is read-only, until a write succeeds. Reads go on meanwhile, so
 * nothing else would show it.
 *
 * Its states: *taking* writes; *refusing* them since one failed, and then asking every five seconds with a small write.
 */
export class RefusedWrites {
  private refusal: DatabaseRefusal | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asking: Promise<void> | undefined;
  private askedAt = Number.NEGATIVE_INFINITY;

  /** @param changed called with the refusal when it begins or becomes another, and with undefined when it is over. */
  constructor(
    private readonly url: string,
    private readonly changed: (refusal: DatabaseRefusal | undefined, error?: unknown) => void,
  ) {}

  /** Takes note of any error of the database. */
  note(error: unknown): void {
    const refusal = databaseRefusal(error);
    if (!refusal?.stopsWrites || this.refusal?.code === refusal.code) return;
    this.refusal = refusal;
    this.changed(refusal, error);
    this.timer ??= setInterval(() => void this.ask(), askAgainMs).unref();
  }

  /**
   * For readiness.
   *
   * @throws Down while writes are refused.
   */
  async assertTaken(): Promise<void> {
    if (this.refusal || performance.now() - this.askedAt >= checkEveryMs) await this.ask();
    if (this.refusal) throw new Down(this.refusal.code, this.refusal.reason, this.refusal.remedy);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private ask(): Promise<void> {
    this.asking ??= this.write().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  /** An error of any other kind tells nothing: the account may create no temporary tables, or the server is away. */
  private async write(): Promise<void> {
    try {
      await probeWrite(this.url);
    } catch (error) {
      return this.note(error);
    } finally {
      this.askedAt = performance.now();
    }
    if (!this.refusal) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.refusal = undefined;
    this.changed(undefined);
  }
}
