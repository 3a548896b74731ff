import { CLUSTER_READER, type ClusterReader, readAheadOfPlan } from '@curtail/clusters';
import { clockKind, InputError } from '@curtail/contracts';
import { packListAhead } from '@curtail/event-store';
import { type Worker } from '@curtail/runtime';
import { Wakeable } from '@curtail/waiting';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { indexAhead } from './indexed-ahead.js';
import { PLANNER_SETTINGS, type PlannerSettings } from './settings/planner-settings.js';

const everyMs = 2000;
/** Clocks that are due within this time: each is found at least once, and a large queue is read by then. */
const aheadMs = 2 * everyMs;
/** With more clocks than this the first plans read what the others need, if any of them are large. */
const mostClocks = 8;

interface Clock {
  partition: string;
  queue: string;
  due: string;
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
  /** Clocks that were found before. */
  private done = new Set<string>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(PLANNER_SETTINGS) private readonly settings: PlannerSettings,
  ) {}

  async start(): Promise<void> {
    if (this.cluster.readAhead) this.loop = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      try {
        await this.readAll();
      } catch (error) {
        this.log.warn(
          'Could not prefetch the input of clocks that are due soon; their plans read all of it.',
          {
            err: error,
          },
        );
      }
      await this.waker.sleep(everyMs, this.stopping.signal);
    }
  }

  /** Reads for all clocks that are due soon, each once. */
  async readAll(): Promise<void> {
    const clocks = await this.db.query<Clock[]>(
      `SELECT partition, name AS queue, due_at::text AS due FROM timers
       WHERE kind = $1 AND state = 'pending' AND due_at > now() AND due_at < now() + make_interval(secs => $2)
       ORDER BY due_at LIMIT $3`,
      [clockKind, aheadMs / 1000, mostClocks + 1],
    );
    const before = this.done;
    this.done = new Set(clocks.map((clock) => JSON.stringify(clock)));
    if (clocks.length > mostClocks) return;
    for (const clock of clocks) if (!before.has(JSON.stringify(clock))) await this.read(clock);
  }

  private async read({ partition, queue }: Clock): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { mostAllocations, policy } = this.settings;
    const scope = { partition, queue, mostAllocations, nodeAware: policy.nodeAware ?? false };
    try {
      const snapshot = await readAheadOfPlan(this.db, this.cluster, scope);
      if (!snapshot) return;
      indexAhead(snapshot);
      await packListAhead(snapshot.allocations);
    } catch (error) {
      // The plan will fail for the same reason, and record it.
      if (!(error instanceof InputError)) throw error;
    }
  }
}
