import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AheadOfPlan, CLUSTER_READER, type ClusterReader, readAheadOfPlan } from '#clusters';
import { type ClusterSnapshot, clockKind, InputError } from '#contracts';
import { packListAhead } from '#event-store';
import { AllocationsBefore, readSnapshot } from '#planning';
import type { Worker } from '#runtime';
import { type SoonDue, soonDue } from '#timers';
import { Wakeable } from '#waiting';
import { PLANNER_SETTINGS, type PlannerSettings } from '../settings/planner-settings.js';

const everyMs = 2000;
/** Clocks that are due within this time: each is found at least once, and a large queue is read by then. */
const shortMs = 2 * everyMs;
/** Changes of a very large queue are read, indexed and packed this long before its clock is due. */
const againMs = 10_000;
/** All of it is read this long before, which is enough on most machines. A plan that comes earlier waits for the read that has begun. */
const longMs = 40_000;
/** With more clocks than this the first plans read what the others need, if any of them are large. */
const mostClocks = 8;

interface FoundClock extends SoonDue {
  ahead: AheadOfPlan;
  /** By `performance.now()`. */
  at: number;
}

/**
 * Reads large queues shortly before their clocks are due, and indexes and packs what it has read, so that only changes are left to read,
 * index and pack when they are planned.
 */
@Injectable()
export class ReadAhead implements Worker {
  private readonly log = new Logger('Planner');
  private readonly waker = new Wakeable();
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;
  /** Clocks that were found before, at each distance. */
  private done = new Set<string>();
  /** Very large queues are read one after another, beside the loop, so that other queues need not wait for them. */
  private ofVeryLarge: Promise<void> = Promise.resolve();

  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(PLANNER_SETTINGS) private readonly settings: PlannerSettings,
  ) {}

  async start(): Promise<void> {
    if (this.cluster.readAhead) this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
    await this.ofVeryLarge;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.warnIfFails(async () => {
        await this.readAll();
      });
      await this.waker.sleep(everyMs, this.stopping.signal);
    }
  }

  private async warnIfFails(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      this.log.warn('Could not prefetch the input of clocks that are due soon; their plans read all of it.', {
        err: error,
      });
    }
  }

  /**
   * Reads for all clocks that are due soon, each once at each distance.
   *
   * @returns a promise of the end of reading very large queues.
   */
  async readAll(): Promise<{ ofVeryLarge: Promise<void> }> {
    const began = performance.now();
    const found = await soonDue(this.db, clockKind, { withinMs: longMs, limit: mostClocks + 1 });
    const clocks = found.map((clock) => ({ ...clock, ahead: distanceOf(clock), at: began + clock.dueInMs }));
    const before = this.done;
    this.done = new Set(clocks.map(keyOf));
    const fresh = clocks.filter((clock) => !before.has(keyOf(clock)));
    const shortly = fresh.filter(({ ahead }) => ahead === 'shortly');
    const others = fresh.filter(({ ahead }) => ahead !== 'shortly');
    if (clocks.length <= mostClocks && others.length > 0)
      this.ofVeryLarge = this.ofVeryLarge.then(() => this.warnIfFails(() => this.readEach(others)));
    if (clocks.filter(({ ahead }) => ahead === 'shortly').length <= mostClocks) await this.readEach(shortly);
    return { ofVeryLarge: this.ofVeryLarge };
  }

  private async readEach(clocks: readonly FoundClock[]): Promise<void> {
    for (const clock of clocks) await this.read(clock);
  }

  private async read({ partition, queue, ahead, at }: FoundClock): Promise<void> {
    const isWanted = (beforeMs = 0) => performance.now() < at - beforeMs && !this.stopping.signal.aborted;
    // With less time for a very large queue, its plan would have to wait.
    if (!isWanted(ahead === 'shortly' ? 0 : shortMs)) return;
    const { mostAllocations, policy } = this.settings;
    const scope = { partition, queue, mostAllocations, nodeAware: policy.nodeAware ?? false };
    try {
      const snapshot = await readAheadOfPlan(this.db, this.cluster, scope, ahead);
      // Beside the plan, the rest would only delay it.
      if (!snapshot || !isWanted()) return;
      indexAhead(snapshot);
      await packListAhead(snapshot.allocations, isWanted);
    } catch (error) {
      // The plan will fail for the same reason, and record it.
      if (!(error instanceof InputError)) throw error;
    }
  }
}

const distanceOf = ({ dueInMs }: SoonDue): AheadOfPlan =>
  dueInMs < shortMs ? 'shortly' : dueInMs < againMs ? 'again' : 'long';

const keyOf = ({ partition, queue, due, ahead }: FoundClock) =>
  JSON.stringify([partition, queue, due, ahead]);

/** By the first of the allocations; dropped with it. */
const ahead = new WeakMap<object, AllocationsBefore>();

/**
 * Reads a snapshot for the plan of a later one, which reads only those allocations that have changed until then.
 *
 * @throws InputError as `readSnapshot`.
 */
function indexAhead(snapshot: ClusterSnapshot): void {
  const [first] = snapshot.allocations;
  if (!first) return;
  const before = ahead.get(first) ?? new AllocationsBefore();
  readSnapshot(snapshot, before);
  ahead.set(first, before);
}

/** What was read ahead for this snapshot. */
export function indexedAhead({ allocations: [first] }: ClusterSnapshot): AllocationsBefore | undefined {
  return first && ahead.get(first);
}
