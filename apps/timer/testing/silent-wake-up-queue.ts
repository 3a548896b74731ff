import type { WakeUpQueue } from '@curtail/timers';

/** Takes wake-ups and delivers none. */
export const silentWakeUpQueue: WakeUpQueue = {
  arm: async () => {},
  listen: async () => {},
  whenForgotten: () => {},
  close: async () => {},
};
