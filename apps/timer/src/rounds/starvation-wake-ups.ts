import { topics } from '@curtail/contracts/events';
import type { KnownEvent } from '@curtail/event-store';
import type { Consumer, Effects } from '@curtail/messaging';
import { backOffTimer, starvationTimer } from '@curtail/rounds';
import type { WakeUp } from '@curtail/timers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WakeUps } from '../wake-ups.js';

/**
 * Requests wake-ups for the timers that planners set (fair-share). A missed one costs time and no timer: the sweep finds
 * overdue ones.
 */
@Injectable()
export class StarvationWakeUps implements Consumer {
  readonly name = 'starvation-timers';
  readonly topics = [topics.starvation, topics.plans];
  readonly events = ['TimerStarted', 'TimerRestarted', 'PlanComputed'] as const;
  readonly batchSize = 1000;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
  ) {}

  async handle(events: KnownEvent[]): Promise<Effects | undefined> {
    const wakeUps = events.flatMap((event): WakeUp[] => {
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
    if (wakeUps.length + backOffs.length === 0) return undefined;
    return async () => () => this.wakeUps.arm([...wakeUps, ...backOffs]);
  }

  private backOffs(partitions: string[]): Promise<WakeUp[]> {
    return this.db.query(
      `SELECT kind, partition, name, generation, due_at AS "dueAt" FROM timers
       WHERE kind = $1 AND partition = ANY ($2::text[]) AND name = $3`,
      [starvationTimer, partitions, backOffTimer],
    );
  }
}
