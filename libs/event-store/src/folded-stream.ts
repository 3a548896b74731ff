import type { DomainEvent } from '#contracts';
import type { StreamAppend } from './append.js';
import { known } from './known-event.js';
import type { KnownEvent, NewEvent, StoredEvent } from './stored-event.js';

/**
 * A stream folded to its state, and the events that were decided on it since: load, decide, append. A decision reads `state`
 * and gives its events to `decide`; `take` returns them for `append`, which refuses them if another writer has appended
 * since the state was loaded (`StreamConflict`). The state is wrong then: load it again and decide again.
 *
 * A writer that holds the lock under which every decision on its stream is made needs no version: it uses `appendNext`.
 */
export class FoldedStream<State> {
  private decided: NewEvent[] = [];
  private current: State;
  private lastVersion: number;

  /**
   * @param of the place to append to.
   * @param evolve returns the state after one event. If it throws, the event breaks a rule of the stream, and is not taken.
   * @param loaded a state and the version of the stream that it was folded from, such as a projection keeps them. The initial
   * state has the version 0.
   */
  constructor(
    private readonly of: Pick<StreamAppend, 'stream' | 'partition'>,
    private readonly evolve: (state: State, event: DomainEvent) => State,
    loaded: { state: State; version: number },
  ) {
    this.current = loaded.state;
    this.lastVersion = loaded.version;
  }

  /** The state after all events, decided ones included. */
  get state(): State {
    return this.current;
  }

  /** The number of events in the stream, as far as is known; decided events count once they are taken. */
  get version(): number {
    return this.lastVersion;
  }

  /** The events that were decided and not taken, in their order. */
  get unrecorded(): readonly NewEvent[] {
    return this.decided;
  }

  /** Takes in recorded events: of this stream those after `version`, or of another one that the state is folded from too. */
  read(events: readonly StoredEvent[]): void {
    this.readKnown(events.map(known));
  }

  /** As `read`, for events that were checked already. */
  readKnown(events: readonly KnownEvent[]): void {
    this.current = events.reduce(this.evolve, this.current);
    const last = events.findLast(({ stream }) => stream === this.of.stream);
    this.lastVersion = last?.version ?? this.lastVersion;
  }

  /** Takes in events that will be appended: all of them, or none if `evolve` throws. */
  decide(events: readonly NewEvent[]): void {
    this.current = events.reduce((state, { event }) => this.evolve(state, event), this.current);
    this.decided.push(...events);
  }

  /**
   * The decided events, to be appended at the version that they were decided on. They are taken once: a caller that fails to
   * append them has to load the state again.
   *
   * @returns undefined if there are none.
   */
  take(): StreamAppend | undefined {
    if (this.decided.length === 0) return undefined;
    const append = { ...this.of, expectedVersion: this.lastVersion, events: this.decided };
    this.lastVersion += this.decided.length;
    this.decided = [];
    return append;
  }
}
