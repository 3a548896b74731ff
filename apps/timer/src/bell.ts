import { setTimeout as delay } from 'node:timers/promises';
import { DOORBELL, type Doorbell, type Ring } from '@curtail/timers';
import { Inject, Injectable, Logger } from '@nestjs/common';

/** A ring that is further off is in no hurry to be asked for. */
const soonMs = 30_000;
/**
 * The others gather until no more have come for a while: what is set anew meanwhile is asked for once, and a burst of changes
 * has the machine first. None waits until it would ring soon.
 */
const gatherMs = { quiet: 5000, longest: 15_000 };
/** Asked for with one request: while the server takes it, no ring is heard. */
const pageSize = 500;

/** What it was not asked for by then is asked for at the next start, or found by the sweep. */
const askedWithinMs = 1000;

/**
 * Between the clocks and the doorbell: asks for rings without making anybody wait, and passes on wishes to look at a
 * partition at once. Losing either costs time, never a timer: the sweep finds what is overdue.
 */
@Injectable()
export class Bell {
  private readonly log = new Logger('Timer');
  private onLook: (partition: string) => Promise<void> = async () => {};
  /** By timer: its newest ring. */
  private gathered = new Map<string, Ring>();
  private gathering: { since: number; timer: NodeJS.Timeout } | undefined;
  private asking: Promise<void> = Promise.resolve();

  constructor(@Inject(DOORBELL) private readonly doorbell: Doorbell) {}

  arm(rings: Ring[]): void {
    const soon = Date.now() + soonMs;
    const near: Ring[] = [];
    let hasMore = false;
    for (const ring of rings) {
      const timer = JSON.stringify([ring.kind, ring.partition, ring.name]);
      if (ring.dueAt.getTime() > soon) {
        this.gathered.set(timer, ring);
        hasMore = true;
      } else {
        this.gathered.delete(timer);
        near.push(ring);
      }
    }
    if (near.length > 0) void this.ask(near);
    if (hasMore) this.gather();
  }

  /** Asks for what has gathered, and resolves when that is done, or a server that is away has been waited for long enough. */
  async stop(): Promise<void> {
    this.askForGathered();
    await Promise.race([this.asking, delay(askedWithinMs, undefined, { ref: false })]);
  }

  look(partition: string): void {
    this.onLook(partition).catch((error: Error) => {
      this.log.warn(`the look at ${partition} failed (the sweep looks again): ${error.message}`);
    });
  }

  whenLookWanted(onLook: (partition: string) => Promise<void>): void {
    this.onLook = onLook;
  }

  private gather(): void {
    const now = performance.now();
    const since = this.gathering?.since ?? now;
    clearTimeout(this.gathering?.timer);
    const ms = Math.min(gatherMs.quiet, since + gatherMs.longest - now);
    this.gathering = { since, timer: setTimeout(() => this.askForGathered(), Math.max(0, ms)) };
  }

  private askForGathered(): void {
    clearTimeout(this.gathering?.timer);
    this.gathering = undefined;
    const rings = [...this.gathered.values()];
    this.gathered.clear();
    this.asking = this.asking.then(async () => {
      for (let from = 0; from < rings.length; from += pageSize)
        await this.ask(rings.slice(from, from + pageSize));
    });
  }

  private async ask(rings: Ring[]): Promise<void> {
    try {
      await this.doorbell.arm(rings);
    } catch (error) {
      this.log.warn(
        `the doorbell could not be told of ${rings.length} timers (the sweep will find them): ${(error as Error).message}`,
      );
    }
  }
}
