import type { KnownEvent } from '@curtail/event-store';
import type { WakeUp } from '@curtail/timers';
import type { DataSource } from 'typeorm';
import type { OwnTimers } from '../round-policy.js';
import { backOffTimer, starvationTimer } from './starvation-clocks.js';

/** Timers that request a plan when an element has starved for too long, or when a node may be used again. */
export const starvationTimers: OwnTimers = {
  kind: starvationTimer,
  events: ['TimerStarted', 'TimerRestarted', 'PlanComputed'],

  async setBy(db, events) {
    const clocks = events.flatMap((event): WakeUp[] => {
      if (event.name !== 'TimerStarted' && event.name !== 'TimerRestarted') return [];
      const { partition, kind, name, generation, dueAt } = event.data;
      return [
        { kind: starvationTimer, partition, name: `${kind}/${name}`, generation, dueAt: new Date(dueAt) },
      ];
    });
    return [...clocks, ...(await backOffs(db, events))];
  },
};

/** After a plan, the first node may be used again at a time that no event names. */
async function backOffs(db: DataSource, events: readonly KnownEvent[]): Promise<WakeUp[]> {
  const planned = new Set(
    events.flatMap((event) =>
      event.name === 'PlanComputed' && event.data.plan.policy === 'fair-share' ? [event.data.partition] : [],
    ),
  );
  if (planned.size === 0) return [];
  return db.query(
    `SELECT kind, partition, name, generation, due_at AS "dueAt" FROM timers
     WHERE kind = $1 AND partition = ANY ($2::text[]) AND name = $3`,
    [starvationTimer, [...planned], backOffTimer],
  );
}
