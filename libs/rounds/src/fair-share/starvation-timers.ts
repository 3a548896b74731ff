import type { WakeUp } from '#timers';
import type { OwnTimers } from '../round-policy.js';
import { starvationTimer } from './starvation-clocks.js';

/**
 * Timers that request a plan when an element has starved for too long, or when a node may be used again. Only the sweep finds those of
 * nodes: no event but the plan names them, and reading every plan for them would cost more than a delay of a second.
 */
export const starvationTimers: OwnTimers = {
  kind: starvationTimer,
  events: ['TimerStarted', 'TimerRestarted'],

  setBy: (events) =>
    events.flatMap((event): WakeUp[] => {
      if (event.name !== 'TimerStarted' && event.name !== 'TimerRestarted') return [];
      const { partition, kind, name, generation, dueAt } = event.data;
      return [
        { kind: starvationTimer, partition, name: `${kind}/${name}`, generation, dueAt: new Date(dueAt) },
      ];
    }),
};
