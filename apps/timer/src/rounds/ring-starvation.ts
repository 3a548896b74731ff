import { topics } from '@curtail/contracts/events';
import type { KnownEvent } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import { backOffTimer, starvationTimer } from '@curtail/rounds';
import type { Ring } from '@curtail/timers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Bell } from '../bell.js';

/**
 * Has the doorbell told of the timers that planners set (fair-share). What it misses costs time and no timer: the sweep finds
 * whatever is overdue.
 */
@Injectable()
export class RingStarvation implements Consumer {
  readonly name = 'starvation-timers';
  readonly topics = [topics.starvation, topics.plans];
  readonly events = ['TimerStarted', 'TimerRestarted', 'PlanComputed'] as const;
  readonly batchSize = 1000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(Bell) private readonly bell: Bell,
  ) {}

  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const rings = events.flatMap((event): Ring[] => {
      if (event.name !== 'TimerStarted' && event.name !== 'TimerRestarted') return [];
      const { partition, kind, name, generation, dueAt } = event.data;
      return [
        { kind: starvationTimer, partition, name: `${kind}/${name}`, generation, dueAt: new Date(dueAt) },
      ];
    });
    // After a plan the first node may be used again at a time that no event names.
    const planned = new Set(
      events.flatMap((event) =>
        event.name === 'PlanComputed' && event.data.plan.policy === 'fair-share'
          ? [event.data.partition]
          : [],
      ),
    );
    const backOffs = planned.size === 0 ? [] : await this.backOffs([...planned]);
    if (rings.length + backOffs.length === 0) return undefined;
    return async () => () => this.bell.arm([...rings, ...backOffs]);
  }

  private backOffs(partitions: string[]): Promise<Ring[]> {
    return this.db.query(
      `SELECT kind, partition, name, generation, due_at AS "dueAt" FROM timers
       WHERE kind = $1 AND partition = ANY ($2::text[]) AND name = $3`,
      [starvationTimer, partitions, backOffTimer],
    );
  }
}
