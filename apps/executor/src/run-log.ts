import type { DomainEvent } from '@curtail/contracts';
import { foldRun, initialRunState, type RunState } from '@curtail/enforcement';
import {
  append,
  appendAlone,
  executionStream,
  known,
  operatorStream,
  planStream,
  readStream,
  type StoredEvent,
  type Tx,
} from '@curtail/event-store';
import type { DataSource } from 'typeorm';
import type { OpenExecution } from './open-executions.js';

const asEvent = (event: StoredEvent): DomainEvent => {
  const { name, data } = known(event);
  return { name, data } as DomainEvent;
};

/** A run as its streams tell it: the plan, what operators said, what was done. This process writes the last one only. */
export class RunLog {
  private constructor(
    private readonly db: DataSource,
    private readonly execution: OpenExecution,
    private current: RunState,
    private version: number,
    private heardVersion: number,
  ) {}

  static async load(db: DataSource, execution: OpenExecution): Promise<RunLog> {
    const { enforcement } = execution;
    const [planned, done, said] = await Promise.all([
      readStream(db, planStream(enforcement)),
      readStream(db, executionStream(enforcement)),
      readStream(db, operatorStream(enforcement)),
    ]);
    const state = foldRun(initialRunState, [...planned, ...said, ...done].map(asEvent));
    return new RunLog(db, execution, state, done.at(-1)?.version ?? 0, said.at(-1)?.version ?? 0);
  }

  get state(): RunState {
    return this.current;
  }

  /** Takes in what operators said since the last time, up to the version `said` at least. */
  async hear(said: number): Promise<void> {
    if (said <= this.heardVersion) return;
    const words = await readStream(this.db, operatorStream(this.execution.enforcement), {
      afterVersion: this.heardVersion,
    });
    this.current = foldRun(this.current, words.map(asEvent));
    this.heardVersion = words.at(-1)?.version ?? this.heardVersion;
  }

  /**
   * Records what happened, and what goes with it in the same transaction. The events are folded first, so that one that
   * breaks a rule of the run is never written.
   *
   * @throws StreamConflict if another process works on this run.
   */
  async record(events: DomainEvent[], also?: (tx: Tx) => Promise<void>): Promise<void> {
    const next = foldRun(this.current, events);
    const { enforcement, partition, queue } = this.execution;
    const at = new Date();
    const toAppend = {
      stream: executionStream(enforcement),
      partition,
      expectedVersion: this.version,
      events: events.map((event) => ({ event, at, key: queue })),
    };
    if (also) {
      await this.db.transaction(async (tx) => {
        await append(tx, [toAppend]);
        await also(tx);
      });
    } else {
      await appendAlone(this.db, toAppend);
    }
    this.current = next;
    this.version += events.length;
  }
}
