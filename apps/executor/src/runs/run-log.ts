import type { DataSource } from 'typeorm';
import type { DomainEvent } from '#contracts';
import { evolveRun, initialRunState, type RunState } from '#enforcement';
import {
  answersStream,
  append,
  type Batcher,
  FoldedStream,
  type KnownEvent,
  operatorStream,
  planStream,
  type RestOfStream,
  readStream,
  runStream,
  type StoredEvent,
  type Tx,
} from '#event-store';
import type { OpenRun } from '#runs';
import type { RecordTogether } from './record-together.js';

/** How many events others have appended to their streams of a run. */
export interface CommandVersions {
  /** Commands of operators. */
  operator: number;
  /** Answers of owners. */
  answers: number;
}

/** The access to the streams of runs. */
export interface PlacesOfRun {
  db: DataSource;
  /** Returns the events of some streams after a version. */
  streams: Batcher<RestOfStream[], StoredEvent[][]>;
  records: RecordTogether;
}

/**
 * A run as recorded in its streams: the plan, the commands of operators, the answers of owners, the actions. This process
 * writes only the last one (`FoldedStream`); the state is folded from all four.
 *
 * An event may be noted first and recorded with the next one: the opening of a run with its first order, the answer to
 * its last kill with its end. A crash in between loses no more than a crash between an action and its record.
 */
export class RunLog {
  private readonly stream: FoldedStream<RunState>;
  private plannedVersion = 0;
  private taken: CommandVersions = { operator: 0, answers: 0 };

  constructor(
    private readonly places: PlacesOfRun,
    private readonly held: OpenRun,
  ) {
    const { enforcement, partition } = held;
    this.stream = new FoldedStream({ stream: runStream(enforcement), partition }, evolveRun, {
      state: initialRunState,
      version: 0,
    });
  }

  /**
   * A new run: its streams have the plan and nothing else. If they have more after all, the first record is a conflict, and the run has to
   * be loaded.
   */
  static begin(places: PlacesOfRun, held: OpenRun, plan: KnownEvent): RunLog {
    const run = new RunLog(places, held);
    run.stream.readKnown([plan]);
    run.plannedVersion = plan.version;
    return run;
  }

  /** Takes in the current events of the streams: another process may have carried out steps of the run. */
  async catchUp(): Promise<void> {
    const { enforcement } = this.held;
    const [planned = [], commands = [], answers = [], done = []] = await this.places.streams.ask([
      { stream: planStream(enforcement), after: this.plannedVersion },
      { stream: operatorStream(enforcement), after: this.taken.operator },
      { stream: answersStream(enforcement), after: this.taken.answers },
      { stream: runStream(enforcement), after: this.stream.version },
    ]);
    this.stream.read([...planned, ...commands, ...answers, ...done]);
    this.plannedVersion = planned.at(-1)?.version ?? this.plannedVersion;
    this.taken = {
      operator: commands.at(-1)?.version ?? this.taken.operator,
      answers: answers.at(-1)?.version ?? this.taken.answers,
    };
  }

  get state(): RunState {
    return this.stream.state;
  }

  /** The number of events in the stream of the run, as far as this process knows; noted events are not included. */
  get recordedVersion(): number {
    return this.stream.version;
  }

  /** The numbers of commands and answers in the state. */
  get commands(): CommandVersions {
    return this.taken;
  }

  /** A noted event is worth recording at once; the opening of a run is not, before its first order. */
  get hasNews(): boolean {
    return this.stream.unrecorded.some(({ event }) => event.name !== 'EnforcementOpened');
  }

  /** All noted events are in the stream. */
  get isRecorded(): boolean {
    return this.stream.unrecorded.length === 0;
  }

  /** Takes in the commands of operators and answers of owners since the last time, at least up to these versions. */
  async takeCommands(upTo: CommandVersions): Promise<void> {
    const { enforcement } = this.held;
    const operator = await this.takeFrom(operatorStream(enforcement), this.taken.operator, upTo.operator);
    const answers = await this.takeFrom(answersStream(enforcement), this.taken.answers, upTo.answers);
    this.taken = { operator, answers };
  }

  /** @returns the version that is taken in. */
  private async takeFrom(stream: string, known: number, upTo: number): Promise<number> {
    if (upTo <= known) return known;
    const events = await readStream(this.places.db, stream, { afterVersion: known });
    this.stream.read(events);
    return events.at(-1)?.version ?? known;
  }

  /** Takes in events, to be recorded with the next `record`. An event that breaks a rule of the run is an error. */
  note(events: DomainEvent[]): void {
    this.stream.decide(events.map((event) => ({ event, key: this.held.queue })));
  }

  /**
   * Records all noted events.
   *
   * @param options.tx the connection that has the turn: without it nothing is recorded.
   * @param options.effect written in the same transaction; not written if no event was noted.
   * @param options.over the run has ended, and is removed from the open ones in the same transaction.
   * @throws StreamConflict if another process works on this run. The noted events are lost then: load the run again.
   */
  async record({
    tx,
    over = false,
    effect,
  }: {
    tx?: Tx | undefined;
    over?: boolean;
    effect?: ((tx: Tx) => Promise<void>) | undefined;
  } = {}): Promise<void> {
    const toAppend = this.stream.take();
    if (!toAppend) return;
    if (tx) await append(tx, [toAppend]);
    else
      await this.places.records.record({
        append: toAppend,
        over: over ? this.held.enforcement : undefined,
        effect,
      });
  }
}
