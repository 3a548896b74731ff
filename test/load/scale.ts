/** How much is measured. */
export interface Scale {
  rounds: number;
  /** In the configuration that is taken in. */
  queues: number;
  /** For how long services with nothing to do are measured. */
  idleSeconds: number;
  /** Runs a second of the steady load, and for how long it is measured. */
  steadyPerSecond: number;
  steadySeconds: number;
  /** Runs a second for two planners. */
  sustainedPerSecond: number;
  sustainedSeconds: number;
  /** Timers due at one instant. */
  burst: number;
  /** In the log that is read again. */
  replayed: number;
  /** Allocations of one queue; four tenths of them are to go in one run. */
  planned: number;
  /** Allocations of one partition; a tenth of them is to go in one run. */
  largest: number;
  /** Queues of one partition, with ten allocations each. */
  wide: number;
  /** Partitions that share an installation, queues of each, runs of each, and runs a second of all. */
  partitions: number;
  partitionQueues: number;
  partitionRuns: number;
  partitionRunsPerSecond: number;
}

export const whole: Scale = {
  rounds: 3,
  queues: 10_000,
  idleSeconds: 30,
  steadyPerSecond: 25,
  steadySeconds: 30,
  sustainedPerSecond: 200,
  sustainedSeconds: 30,
  burst: 5000,
  replayed: 200_000,
  planned: 100_000,
  largest: 1_000_000,
  wide: 99_000,
  partitions: 100,
  partitionQueues: 1000,
  partitionRuns: 20,
  partitionRunsPerSecond: 10,
};

/** Shows only whether everything works. */
export const small: Scale = {
  rounds: 1,
  queues: 1000,
  idleSeconds: 5,
  steadyPerSecond: 10,
  steadySeconds: 5,
  sustainedPerSecond: 20,
  sustainedSeconds: 8,
  burst: 200,
  replayed: 10_000,
  planned: 2000,
  largest: 20_000,
  wide: 1000,
  partitions: 5,
  partitionQueues: 100,
  partitionRuns: 10,
  partitionRunsPerSecond: 5,
};
