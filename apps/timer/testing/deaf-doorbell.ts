import type { Doorbell } from '@curtail/timers';

/** Rings are asked for, and none comes. */
export const deafDoorbell: Doorbell = {
  arm: async () => {},
  listen: async () => {},
  whenForgotten: () => {},
  close: async () => {},
};
