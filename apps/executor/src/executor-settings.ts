export interface ExecutorSettings {
  defaultMode: 'observe' | 'enforce';
  approveAboveVictims: number;
  /** Percent of the allocations of the enforced queue. */
  approveAbovePercent: number;
  victimsPerSecond: number;
  graceSeconds: number;
  deadlineSeconds: number;
  tries: number;
  /** Of the lock of the queue; renewed while its run is open. */
  leaseMs: number;
  /** No other process executes: what a dead one held can be taken over at once. */
  alone: boolean;
}
export const EXECUTOR_SETTINGS = Symbol('ExecutorSettings');
