import { BrokenInvariant, clockKind, type DomainEvent } from '#contracts';
import {
  type ClockCommand,
  type ClockState,
  decideClock,
  evolveClock,
  initialClockState,
} from '#enforcement';
import { append, clockStream, FoldedStream, type Tx } from '#event-store';
import { type SavedClock, saveClocks, saveVersions } from '#runs';
import { clearTimers, holdTimers, resumeBelow, setTimers, type Timer, type WakeUp } from '#timers';
import {
  type ClocksOfPartition,
  keepRunning,
  readClocks,
  readPendingClocks,
  readState,
  takeTurn,
} from './clock-statements.js';

interface Entry extends Pick<SavedClock, 'partition' | 'queue' | 'configVersion'> {
  stream: FoldedStream<ClockState>;
  /** It had a timer when it was loaded. */
  hadTimer: boolean;
  /** A newer version was applied than was loaded. */
  hasNewVersion: boolean;
}

/** What to do once the transaction has committed. */
export interface Saved {
  /** The wake-ups to request. */
  wakeUps: WakeUp[];
  /** The partitions in which a queue that waited for a run can be checked now. */
  toCheck: Set<string>;
}

/**
 * The clocks of some queues inside one transaction: decided on one after the other, saved together. Events, states, timers and
 * locks of queues commit as one. Of two transactions that change the same clock, the second has a conflict in its stream.
 *
 * Each clock is a `FoldedStream` that begins with the state saved in `clocks`: hundreds of clocks are loaded with one statement,
 * and saved with one statement per table.
 */
export class ClockSession {
  private readonly entries = new Map<string, Entry>();
  /** Those with events, in the order of the decisions: a leaf that fires before its parent precedes it in the log. */
  private changed: Entry[] = [];
  /** Those whose decisions were sent. */
  private readonly written = new Set<Entry>();
  /** The statements that were sent. */
  private readonly writing: Promise<void>[] = [];
  private readonly waiting: Entry[] = [];

  /** For decisions on one clock at a time, which read no other. */
  constructor(
    private readonly tx: Tx,
    private readonly leaseMs: number,
  ) {}

  /**
   * For decisions that read other clocks: takes the turn in the partition before anything is read. Decisions that end
   * runs do not take it (`stillRunning`); decisions that start runs do.
   */
  static async withTurn(tx: Tx, partition: string, leaseMs: number): Promise<ClockSession> {
    await takeTurn(tx, partition);
    return new ClockSession(tx, leaseMs);
  }

  /** The same for a check of clocks of the partition, which are loaded after the turn was taken, with the state of the partition. */
  static async withState(
    tx: Tx,
    partition: string,
    queues: string[],
    leaseMs: number,
  ): Promise<{ session: ClockSession; state: ClocksOfPartition }> {
    const session = new ClockSession(tx, leaseMs);
    // Statements of a transaction run in the order in which they are issued: the second one waits for the turn.
    const [, state] = await Promise.all([takeTurn(tx, partition), session.loadState(partition, queues)]);
    return { session, state };
  }

  async load(keys: { partition: string; queue: string }[]): Promise<void> {
    for (const row of await readClocks(this.tx, keys)) this.enter(row);
    for (const key of keys) this.enterNew(key);
  }

  /** Loads clocks of one partition, and everything else that a check of them needs, with one statement. */
  private async loadState(partition: string, queues: string[]): Promise<ClocksOfPartition> {
    const { clocks, ...state } = await readState(this.tx, partition, queues);
    for (const row of clocks) this.enter(row);
    for (const queue of queues) this.enterNew({ partition, queue });
    return state;
  }

  /**
   * The given queues that have a run until this transaction has committed: the ends of those runs wait for it, and so
   * find the queues that were left waiting for them (`resumeBelow`).
   */
  stillRunning(partition: string, queues: string[]): Promise<Set<string>> {
    return keepRunning(this.tx, partition, queues);
  }

  /** The queues of a partition with a running clock; with `within` that queue and those below it. */
  async loadPending(partition: string, within: string | null = null): Promise<string[]> {
    const rows = await readPendingClocks(this.tx, partition, within);
    for (const row of rows) this.enter(row);
    return rows.map((row) => row.queue);
  }

  state(partition: string, queue: string): ClockState {
    return this.entry(partition, queue).stream.state;
  }

  /** The version of the configuration stream that a clock applied last. */
  version(partition: string, queue: string): number {
    return this.entry(partition, queue).configVersion;
  }

  /**
   * Applies a change of the configuration, by its version in that stream.
   *
   * @returns false if the clock has applied this version or a newer one: the event was delivered late or again.
   */
  takeVersion(partition: string, queue: string, version: number): boolean {
    const entry = this.entry(partition, queue);
    if (version <= entry.configVersion) return false;
    entry.configVersion = version;
    entry.hasNewVersion = true;
    return true;
  }

  /** @returns the resulting events. */
  decide(partition: string, queue: string, command: ClockCommand): DomainEvent[] {
    const entry = this.entry(partition, queue);
    const { stream } = entry;
    const events = decideClock(command, stream.state);
    if (events.length > 0 && stream.unrecorded.length === 0) this.changed.push(entry);
    const at = new Date(command.at);
    stream.decide(events.map((event) => ({ event, at, key: queue })));
    return events;
  }

  /** Skips a due queue until the run above it has ended, or the size of the cluster is known. */
  wait(partition: string, queue: string): void {
    this.waiting.push(this.entry(partition, queue));
  }

  /**
   * Sends the statements that save the decisions so far, except timers. It does not wait for their answers, as `save` does: the server
   * writes the first of many decisions while this process makes the next.
   */
  write(): void {
    const { changed } = this;
    if (changed.length === 0) return;
    this.changed = [];
    const writing = Promise.all([
      append(
        this.tx,
        changed.flatMap(({ stream }) => stream.take() ?? []),
      ),
      saveClocks(this.tx, changed.map(asSaved), this.leaseMs),
    ]).then(() => {});
    // `save` throws it.
    writing.catch(() => {});
    this.writing.push(writing);
    for (const entry of changed) {
      entry.hasNewVersion = false;
      this.written.add(entry);
    }
  }

  /** @param freed queues whose runs have ended: those below them that were left waiting are pending again. */
  async save(freed: readonly { partition: string; queue: string }[] = []): Promise<Saved> {
    this.write();
    const touched = [...this.entries.values()].filter(({ hasNewVersion }) => hasNewVersion);
    // The order is the same everywhere: clocks are locked before their timers.
    const last = Promise.all([
      saveVersions(this.tx, touched.map(asSaved)),
      this.saveTimers(),
      resumeBelow(this.tx, clockKind, freed),
    ]);
    // The error of the first statement that failed is the reason; those after it fail only because of that.
    await Promise.all([...this.writing, last]);
    const [, wakeUps, toCheck] = await last;
    return { wakeUps, toCheck };
  }

  private async saveTimers(): Promise<WakeUp[]> {
    const set: Timer[] = [];
    const cleared: Entry[] = [];
    for (const entry of this.written) {
      const { pending } = entry.stream.state;
      if (!pending) {
        if (entry.hadTimer) cleared.push(entry);
        continue;
      }
      set.push({
        kind: clockKind,
        partition: entry.partition,
        name: entry.queue,
        generation: pending.generation,
        dueAt: new Date(pending.dueAt),
        state: pending.suspended ? 'suspended' : 'pending',
      });
    }
    await Promise.all([
      setTimers(this.tx, set),
      clearTimers(
        this.tx,
        cleared.map(({ partition, queue }) => ({ kind: clockKind, partition, name: queue })),
      ),
      holdTimers(
        this.tx,
        this.waiting.flatMap(({ partition, queue, stream }) => {
          const { pending } = stream.state;
          return pending ? [{ kind: clockKind, partition, name: queue, generation: pending.generation }] : [];
        }),
      ),
    ]);
    return set.filter((timer) => timer.state === 'pending');
  }

  /** A queue that has no clock yet. */
  private enterNew({ partition, queue }: { partition: string; queue: string }): void {
    this.enter({
      partition,
      queue,
      version: 0,
      state: initialClockState(partition, queue),
      configVersion: 0,
    });
  }

  private enter({ partition, queue, state, version, configVersion }: SavedClock): void {
    const stream = clockStream(partition, queue);
    if (this.entries.has(stream)) return;
    this.entries.set(stream, {
      partition,
      queue,
      configVersion,
      stream: new FoldedStream({ stream, partition }, evolveClock, { state, version }),
      hadTimer: state.pending !== undefined,
      hasNewVersion: false,
    });
  }

  private entry(partition: string, queue: string): Entry {
    const entry = this.entries.get(clockStream(partition, queue));
    if (!entry) throw new BrokenInvariant(`the schedule of ${queue} in ${partition} was not loaded`);
    return entry;
  }
}

const asSaved = ({ partition, queue, configVersion, stream: { version, state } }: Entry): SavedClock => {
  return { partition, queue, configVersion, version, state };
};
