import { expect } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type ClusterReader, place, type Workload } from '#clusters';
import type { EventName, Resources, SnapshotAllocation, SnapshotApplication } from '#contracts';
import type { EventBus } from '#messaging';
import type { LoggedEvent } from './logged-event.js';
import { configuration, type QueueSpec } from './queue-spec.js';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  type: string;
  body: T;
}

/** The parts of the system that a partition needs. */
export interface RunningSystem {
  readonly db: DataSource;
  readonly cluster: ClusterReader;
  readonly bus: Pick<EventBus, 'status'>;
  request<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Answer<T>>;
  log(partition: string): Promise<LoggedEvent[]>;
  isPublished(): Promise<boolean>;
  until<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T>;
}

export interface TaskGroup extends Partial<Pick<SnapshotApplication, 'priority' | 'properties' | 'user'>> {
  queue: string;
  count: number;
  /** Of each task. */
  resources: Resources;
  /** The name of the application, and with a number behind it of the tasks; default the last part of the queue. */
  name?: string;
}

/** One partition of a running system: its configuration, its work and its events. */
export class TestPartition {
  constructor(
    readonly system: RunningSystem,
    readonly name: string,
  ) {}

  /** Puts queues (those below root) in force. */
  async configure(queues: Record<string, QueueSpec>, enabled = true): Promise<Record<string, unknown>> {
    const { status, body } = await this.submit(
      configuration(this.name, queues, enabled),
      '?removeQueues=true',
    );
    if (status !== 200) throw new Error(`the configuration was refused: ${JSON.stringify(body)}`);
    return body;
  }

  /** Sets the mode, also before anything is in the partition. */
  async setMode(mode: 'observe' | 'enforce'): Promise<void> {
    const wanted = { mode, by: 'ada', allowUnknown: true };
    const { status, body } = await this.system.request('PUT', `/v1/partitions/${this.name}/mode`, wanted);
    if (status !== 200) throw new Error(`the mode was refused: ${JSON.stringify(body)}`);
  }

  submit(body: unknown, query = ''): Promise<Answer> {
    return this.system.request('PUT', `/v1/partitions/${this.name}/config${query}`, body);
  }

  /**
   * Starts tasks, `name-1`, `name-2` … in the queue's application: the first is the oldest, so the last is the first victim.
   */
  async run(...groups: TaskGroup[]): Promise<void> {
    const began = Date.now() - 86_400_000;
    const workload: Workload = { applications: [], allocations: [] };
    for (const { queue, count, resources, name = queue.split('.').at(-1) ?? queue, ...rest } of groups) {
      workload.applications?.push({ id: name, queue, ...rest });
      for (let i = 1; i <= count; i++) {
        workload.allocations?.push({
          id: `${name}-${i}`,
          application: name,
          queue,
          resources,
          startedAt: new Date(began + i * 60_000).toISOString(),
        });
      }
    }
    await place(this.system.db, this.name, workload);
  }

  /** Ids of running allocations that are not leaving, by id. */
  async remaining(queue?: string): Promise<string[]> {
    const found = await this.system.cluster.allocations({
      partition: this.name,
      ...(queue === undefined ? {} : { queue }),
      limit: 10_000,
    });
    return found.filter(({ state }) => (state ?? 'running') === 'running').map(({ id }) => id);
  }

  allocation(id: string): Promise<SnapshotAllocation | undefined> {
    return this.system.cluster.allocation(this.name, id);
  }

  async usage(queue: string): Promise<Resources> {
    const { usage = {} } = (await this.system.cluster.usage(this.name, [queue])).get(queue) ?? {};
    return usage;
  }

  log(): Promise<LoggedEvent[]> {
    return this.system.log(this.name);
  }

  async events<N extends EventName>(name: N, queue?: string): Promise<LoggedEvent<N>[]> {
    const all = (await this.log()) as LoggedEvent<N>[];
    return all.filter((event) => event.name === name && (queue === undefined || event.key === queue));
  }

  /** Waits for an event, the `nth` of its name (of that queue), from 1. */
  async event<N extends EventName>(name: N, queue?: string, nth = 1): Promise<LoggedEvent<N>> {
    return this.system
      .until(`${name} ${nth} of ${queue ?? this.name}`, async () => (await this.events(name, queue))[nth - 1])
      .catch(async (error: Error) => {
        const names = (await this.log()).map((event) => `${event.name} ${event.key}`);
        throw new Error(`${error.message}; there is: ${names.join(', ')}`);
      });
  }

  /** Waits until every consumer has handled what this partition has in its log, and no run is under way or due. */
  async settled(): Promise<void> {
    await this.system.until(`${this.name} to settle`, async () => {
      const [row] = await this.system.db.query<{ open: number }[]>(
        `SELECT (SELECT count(*) FROM clocks WHERE partition = $1 AND running_enforcement IS NOT NULL)::int
              + (SELECT count(*) FROM runs WHERE partition = $1)::int
              + (SELECT count(*) FROM timers WHERE partition = $1 AND state = 'pending' AND due_at < now() + interval '5 s')::int
           AS open`,
        [this.name],
      );
      return row?.open === 0 && (await this.isHandled());
    });
  }

  /** Waits until every consumer has seen all events so far: what would follow from them has followed. */
  async handled(): Promise<void> {
    await this.system.until(`the log of ${this.name} to be handled`, () => this.isHandled());
  }

  /** Over Kafka, the lag counts only what is published. */
  private async isHandled(): Promise<boolean> {
    return (
      (await this.system.isPublished()) && (await this.system.bus.status()).every(({ lag }) => lag === 0)
    );
  }

  /** The end of the run of a queue, with the rules that hold for every run checked on its events. */
  async ended(queue: string, nth = 1): Promise<LoggedEvent<'EnforcementEnded'>> {
    const ended = await this.event('EnforcementEnded', queue, nth);
    await this.event('EnforcementReleased', queue, nth);
    const { enforcement, evicted, gone, spared, failed } = ended.data;
    const ofRun = (await this.log()).filter(
      (event) => 'enforcement' in event.data && event.data.enforcement === enforcement,
    );
    const [started] = ofRun.filter(
      (event): event is LoggedEvent<'EnforcementStarted'> => event.name === 'EnforcementStarted',
    );
    expect(started?.data.lateMs).toBeGreaterThanOrEqual(0);
    expect(Date.parse(started?.data.startedAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(started?.data.dueAt ?? ''),
    );
    const count = (name: EventName) => ofRun.filter((event) => event.name === name).length;
    expect({ evicted, gone, spared, failed }).toEqual({
      evicted: count('VictimEvicted'),
      gone: count('VictimGone'),
      spared: count('VictimSpared'),
      failed: count('VictimFailed'),
    });
    expect(count('EnforcementEnded')).toBe(1);
    return ended;
  }
}
