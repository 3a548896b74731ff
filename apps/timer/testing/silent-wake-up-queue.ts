import type { WakeUpQueue } from '#timers';

/** Takes wake-ups and delivers none. */
export const silentWakeUpQueue: WakeUpQueue = {
  arm: async () => {},
  listen: async () => {},
  whenForgotten: () => {},
  close: async () => {},
};
