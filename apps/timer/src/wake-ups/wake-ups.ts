import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { clockKind } from '#contracts';
import { type Clock, DatabaseClock } from '#event-store';
import { WAKE_UP_QUEUE, type WakeUp, type WakeUpQueue } from '#timers';

/** A wake-up that is further off is not requested at once. */
const soonMs = 30_000;
/**
 * The others are batched until no more have arrived for a while: a wake-up that is set again meanwhile is requested
 * once, and a burst of changes gets the machine first. None waits until it is due soon.
 */
const gatherMs = { quiet: 5000, longest: 15_000 };
/** A clock whose shared wake-up would be sooner than this is awaited in this process: the queue might be too late. */
const nearMs = 250;
/** The size of one request: while the server handles it, no wake-up is received. */
const pageSize = 500;

/** Wake-ups not requested by then are requested at the next start, or their timers are found by the sweep. */
const askedWithinMs = 1000;

/**
 * Connects the clocks with the wake-up queue: requests wake-ups without delaying callers, and passes on requests to
 * check a partition. Losing either costs time, but no timer: the sweep finds overdue ones.
 *
 * Clocks of quotas, of which there may be very many, share a wake-up per interval, shortly before it. From then on the
 * process that received it wakes at their due times; for clocks that are set too late for that it does so at once.
 */
@Injectable()
export class WakeUps {
  private readonly log = new Logger('Timer');
  private onCheck: (partition: string, by?: Date) => Promise<void> = async () => {};
  /** By timer: its newest wake-up. */
  private gathered = new Map<string, WakeUp>();
  private gathering: { since: number; timer: NodeJS.Timeout } | undefined;
  private asking: Promise<void> = Promise.resolve();
  private readonly nearWakeUps: NearWakeUps;

  constructor(
    @Inject(WAKE_UP_QUEUE) private readonly wakeUpQueue: WakeUpQueue,
    @Inject(DatabaseClock) private readonly clock: Clock,
  ) {
    this.nearWakeUps = new NearWakeUps(clock, (partition, dueAt) => this.check(partition, dueAt));
  }

  arm(wakeUps: WakeUp[]): void {
    const soon = this.clock.now().getTime() + soonMs;
    const near: WakeUp[] = [];
    let hasMore = false;
    for (const wakeUp of this.shared(wakeUps)) {
      const timer = JSON.stringify([wakeUp.kind, wakeUp.partition, wakeUp.name]);
      if (wakeUp.dueAt.getTime() > soon) {
        this.gathered.set(timer, wakeUp);
        hasMore = true;
      } else {
        this.gathered.delete(timer);
        near.push(wakeUp);
      }
    }
    if (near.length > 0) void this.ask(near);
    if (hasMore) this.gather();
  }

  /** Requests the wake-ups of pending timers again. @throws if the queue rejects them. */
  async armAgain(wakeUps: WakeUp[]): Promise<void> {
    await this.wakeUpQueue.arm(this.shared(wakeUps));
  }

  /** Triggers a check of a partition when a timer in it is due. */
  checkAt(partition: string, dueAt: Date): void {
    this.nearWakeUps.set(partition, dueAt);
  }

  /**
   * Requests the batched wake-ups, and resolves when that is done, or when an unavailable server has been waited for
   * long enough.
   */
  async stop(): Promise<void> {
    this.nearWakeUps.clear();
    this.askForGathered();
    await Promise.race([this.asking, delay(askedWithinMs, undefined, { ref: false })]);
  }

  /** @param by check timers that are due by then, not before; absent: at once. */
  check(partition: string, by?: Date): void {
    this.onCheck(partition, by).catch((error: Error) => {
      this.log.warn('Could not check due timers; the next sweep will.', { partition, err: error });
    });
  }

  whenCheckWanted(onCheck: (partition: string, by?: Date) => Promise<void>): void {
    this.onCheck = onCheck;
  }

  /** The wake-ups to request: one for each interval in place of those of its clocks. Near ones are set in this process. */
  private shared(wakeUps: WakeUp[]): WakeUp[] {
    const near = this.clock.now().getTime() + nearMs;
    const intervals = new Map<string, WakeUp>();
    const own: WakeUp[] = [];
    for (const wakeUp of wakeUps) {
      if (wakeUp.kind !== clockKind) {
        own.push(wakeUp);
        continue;
      }
      const interval = sharedWakeUp(wakeUp.partition, wakeUp.dueAt);
      if (interval.dueAt.getTime() < near) this.nearWakeUps.set(wakeUp.partition, wakeUp.dueAt);
      else intervals.set(`${interval.partition}/${interval.name}`, interval);
    }
    return [...own, ...intervals.values()];
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
    const wakeUps = [...this.gathered.values()];
    this.gathered.clear();
    this.asking = this.asking.then(async () => {
      for (let from = 0; from < wakeUps.length; from += pageSize)
        await this.ask(wakeUps.slice(from, from + pageSize));
    });
  }

  private async ask(wakeUps: WakeUp[]): Promise<void> {
    try {
      await this.wakeUpQueue.arm(wakeUps);
    } catch (error) {
      this.log.warn('Could not schedule wake-ups; the sweep finds due timers.', {
        timers: wakeUps.length,
        err: error,
      });
    }
  }
}

/** How long before a moment its wake-up comes: time to read the timers that are due by then. */
export const aheadMs = 8;

/**
 * Wakes a little before moments that are near: once for each partition and moment, however often it was requested, and at
 * once for moments that have passed. These wake-ups live in this process alone.
 */
export class NearWakeUps {
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly clock: Clock,
    private readonly onWakeUp: (partition: string, dueAt: Date) => void,
  ) {}

  set(partition: string, dueAt: Date): void {
    const key = `${dueAt.getTime()}/${partition}`;
    if (this.pending.has(key)) return;
    const nearWakeUp = setTimeout(
      () => {
        this.pending.delete(key);
        this.onWakeUp(partition, dueAt);
      },
      Math.max(0, dueAt.getTime() - aheadMs - this.clock.now().getTime()),
    );
    this.pending.set(key, nearWakeUp);
  }

  clear(): void {
    for (const nearWakeUp of this.pending.values()) clearTimeout(nearWakeUp);
    this.pending.clear();
  }
}

/** The kind of a wake-up for all clocks of quotas in a partition that are due within one interval of `sharedMs`. */
export const sharedKind = `${clockKind}-shared`;

/** One wake-up for each clock costs more than the run that the clock starts. */
const sharedMs = 500;
/** The lead of a wake-up before its interval: time to receive it late, and to read the timers that are due in it. */
const leadMs = 2000;

/** The shared wake-up of a clock that is due at `dueAt`. */
function sharedWakeUp(partition: string, dueAt: Date): WakeUp {
  const from = Math.floor(dueAt.getTime() / sharedMs) * sharedMs;
  return {
    kind: sharedKind,
    partition,
    name: new Date(from).toISOString(),
    generation: 0,
    dueAt: new Date(from - leadMs),
  };
}

/** The end of the interval of a shared wake-up, where the next one begins. */
export function endOfShared({ dueAt }: WakeUp): Date {
  return new Date(dueAt.getTime() + leadMs + sharedMs);
}
