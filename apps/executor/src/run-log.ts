import type { DomainEvent } from '@curtail/contracts';
import { foldRun, initialRunState, type RunState } from '@curtail/enforcement';
import {
  append,
  executionStream,
  known,
  operatorStream,
  planStream,
  type RestOfStream,
  readStream,
  type StoredEvent,
  type Together,
  type Tx,
} from '@curtail/event-store';
import type { OpenExecution } from '@curtail/runs';
import type { DataSource } from 'typeorm';
import type { RecordTogether } from './record-together.js';

const asEvent = (event: StoredEvent): DomainEvent => {
  const { name, data } = known(event);
  return { name, data } as DomainEvent;
};

/** Where runs are read and recorded. */
interface Places {
  db: DataSource;
  /** Gives what some streams have behind a version. */
  streams: Together<RestOfStream[], StoredEvent[][]>;
  records: RecordTogether;
}

/**
 * A run as recorded in its streams: the plan, the commands of operators, the actions. This process writes only the last one.
 *
 * An event may be noted first and recorded with the next one: the opening of a run with its first order, the answer
 * to its last kill with its end. A crash in between loses no more than one between the happening and its record would.
 */
export class RunLog {
  private unrecorded: DomainEvent[] = [];

  private current: RunState = initialRunState;
  private plannedVersion = 0;
  private takenOperatorVersion = 0;
  private version = 0;

  private constructor(
    private readonly places: Places,
    private readonly execution: OpenExecution,
  ) {}

  static async load(places: Places, execution: OpenExecution): Promise<RunLog> {
    const run = new RunLog(places, execution);
    await run.catchUp();
    return run;
  }

  /** Takes in the current events of the streams: another process may have carried out steps of the run. */
  async catchUp(): Promise<void> {
    const { enforcement } = this.execution;
    const [planned = [], commands = [], done = []] = await this.places.streams.ask([
      { stream: planStream(enforcement), after: this.plannedVersion },
      { stream: operatorStream(enforcement), after: this.takenOperatorVersion },
      { stream: executionStream(enforcement), after: this.version },
    ]);
    this.current = foldRun(this.current, [...planned, ...commands, ...done].map(asEvent));
    this.plannedVersion = planned.at(-1)?.version ?? this.plannedVersion;
    this.takenOperatorVersion = commands.at(-1)?.version ?? this.takenOperatorVersion;
    this.version = done.at(-1)?.version ?? this.version;
  }

  get state(): RunState {
    return this.current;
  }

  /** How many events the stream of the run has, as far as this process knows: those that are only noted are not in it. */
  get recordedVersion(): number {
    return this.version;
  }

  /** How many events of the operators are in the state. */
  get operatorVersion(): number {
    return this.takenOperatorVersion;
  }

  /** A noted event is worth recording at once; the opening of a run is not, before its first order. */
  get hasNews(): boolean {
    return this.unrecorded.some(({ name }) => name !== 'ExecutionOpened');
  }

  /** All noted events are in the stream. */
  get isRecorded(): boolean {
    return this.unrecorded.length === 0;
  }

  /** Takes in the commands of operators since the last time, at least up to the version `upTo`. */
  async takeOperatorEvents(upTo: number): Promise<void> {
    if (upTo <= this.takenOperatorVersion) return;
    const commands = await readStream(this.places.db, operatorStream(this.execution.enforcement), {
      afterVersion: this.takenOperatorVersion,
    });
    this.current = foldRun(this.current, commands.map(asEvent));
    this.takenOperatorVersion = commands.at(-1)?.version ?? this.takenOperatorVersion;
  }

  /** Takes in what happened, to be recorded with the next `record`. An event that breaks a rule of the run is a fault. */
  note(events: DomainEvent[]): void {
    this.current = foldRun(this.current, events);
    this.unrecorded.push(...events);
  }

  /**
   * Records all that was noted.
   *
   * @param options.tx the connection that has the turn: without it nothing is recorded.
   * @param options.effect written in the same transaction; without anything noted it is not written.
   * @param options.over the run has ended, and goes from the open ones in the same transaction.
   * @throws StreamConflict if another process works on this run. What was noted is lost then: load the run again.
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
    const events = this.unrecorded;
    if (events.length === 0) return;
    this.unrecorded = [];
    const { enforcement, partition, queue } = this.execution;
    const toAppend = {
      stream: executionStream(enforcement),
      partition,
      expectedVersion: this.version,
      events: events.map((event) => ({ event, key: queue })),
    };
    this.version += events.length;
    if (tx) await append(tx, [toAppend]);
    else await this.places.records.record({ append: toAppend, over: over ? enforcement : undefined, effect });
  }
}
