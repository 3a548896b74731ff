import type { TimerKey } from './timer-table.js';

/** A ring: this timer, set for this time, is due. It carries no truth; whoever hears it looks into the timer table. */
export interface Ring extends TimerKey {
  generation: number;
  dueAt: Date;
}

/**
 * Rings when timers are due. A ring may be lost and may come twice; it never comes early. Every adapter passes
 * `test/contracts/doorbell.ts`.
 */
export interface Doorbell {
  /**
   * Asks for rings, after the transaction that set the timers has committed. Asking again for the same one is one ring.
   * Rejects, soon, when nobody can be asked: then they are asked for again later (`whenForgotten`).
   */
  arm(rings: Ring[]): Promise<void>;
  /** Starts to listen, unless it was closed before. A handler that throws gets the ring again, a few times. */
  listen(handler: (ring: Ring) => Promise<void>): Promise<void>;
  /**
   * Calls `again` now, and whenever rings that were asked for may have been forgotten: whoever knows what is pending asks for
   * all of it again. If it rejects, it is called again.
   */
  whenForgotten(again: () => Promise<void>): void;
  close(): Promise<void>;
}

/** Nest token of the port. */
export const DOORBELL = Symbol('Doorbell');
