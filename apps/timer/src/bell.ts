import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, DatabaseClock } from '@curtail/event-store';
import { DOORBELL, type Doorbell, type Ring } from '@curtail/timers';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Alarms } from './alarms.js';
import { timerKind } from './schedule-session.js';
import { slotRing } from './slots.js';

/** A ring that is further off is in no hurry to be asked for. */
const soonMs = 30_000;
/**
 * The others gather until no more have come for a while: what is set anew meanwhile is asked for once, and a burst of changes
 * has the machine first. None waits until it would ring soon.
 */
const gatherMs = { quiet: 5000, longest: 15_000 };
/** A clock of a quota whose slot would ring sooner than this is waited for here: the doorbell might come too late. */
const nearMs = 250;
/** Asked for with one request: while the server takes it, no ring is heard. */
const pageSize = 500;

/** What it was not asked for by then is asked for at the next start, or found by the sweep. */
const askedWithinMs = 1000;

/**
 * Between the clocks and the doorbell: asks for rings without making anybody wait, and passes on wishes to look at a
 * partition. Losing either costs time, never a timer: the sweep finds what is overdue.
 *
 * Clocks of quotas, which may be very many, share the ring of their slot, a moment before it. From then on their due times are
 * alarms of the process that heard it; those that are set when it is too late for that are alarms at once.
 */
@Injectable()
export class Bell {
  private readonly log = new Logger('Timer');
  private onLook: (partition: string, by?: Date) => Promise<void> = async () => {};
  /** By timer: its newest ring. */
  private gathered = new Map<string, Ring>();
  private gathering: { since: number; timer: NodeJS.Timeout } | undefined;
  private asking: Promise<void> = Promise.resolve();
  private readonly alarms: Alarms;

  constructor(
    @Inject(DOORBELL) private readonly doorbell: Doorbell,
    @Inject(DatabaseClock) private readonly clock: Clock,
  ) {
    this.alarms = new Alarms(clock, (partition, dueAt) => this.look(partition, dueAt));
  }

  arm(rings: Ring[]): void {
    const soon = this.clock.now().getTime() + soonMs;
    const near: Ring[] = [];
    let hasMore = false;
    for (const ring of this.shared(rings)) {
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

  /** Asks the doorbell anew for what is pending. @throws if it cannot be asked. */
  async armAgain(rings: Ring[]): Promise<void> {
    await this.doorbell.arm(this.shared(rings));
  }

  /** Has a partition looked at when something in it is due. */
  lookAt(partition: string, dueAt: Date): void {
    this.alarms.set(partition, dueAt);
  }

  /** Asks for what has gathered, and resolves when that is done, or a server that is away has been waited for long enough. */
  async stop(): Promise<void> {
    this.alarms.clear();
    this.askForGathered();
    await Promise.race([this.asking, delay(askedWithinMs, undefined, { ref: false })]);
  }

  /** @param by look at what is due by then, not before; absent: at once. */
  look(partition: string, by?: Date): void {
    this.onLook(partition, by).catch((error: Error) => {
      this.log.warn('Could not check due timers; the next sweep will.', { partition, err: error });
    });
  }

  whenLookWanted(onLook: (partition: string, by?: Date) => Promise<void>): void {
    this.onLook = onLook;
  }

  /** Rings to ask the doorbell for: one for each slot in place of those of its clocks. What is near becomes an alarm. */
  private shared(rings: Ring[]): Ring[] {
    const near = this.clock.now().getTime() + nearMs;
    const slots = new Map<string, Ring>();
    const own: Ring[] = [];
    for (const ring of rings) {
      if (ring.kind !== timerKind) {
        own.push(ring);
        continue;
      }
      const slot = slotRing(ring.partition, ring.dueAt);
      if (slot.dueAt.getTime() < near) this.alarms.set(ring.partition, ring.dueAt);
      else slots.set(`${slot.partition}/${slot.name}`, slot);
    }
    return [...own, ...slots.values()];
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
      this.log.warn('Could not schedule wake-ups; the sweep finds due timers.', {
        timers: rings.length,
        err: error,
      });
    }
  }
}
