/** `FairShareAllocationColumns` with preliminary numbers of types. */
export interface AllocationsRead {
  count: number;
  ids: string[];
  uids: (string | undefined)[];
  nodes: (string | undefined)[];
  startedAtTexts: string[];
  application: Int32Array;
  queue: Int32Array;
  priority: Float64Array;
  startedAt: Float64Array;
  role: Uint8Array;
  optedOut: Uint8Array;
  protected: Uint8Array;
  state: Uint8Array;
  /** 1 where the allocation names an amount of 0. */
  namesZero: Uint8Array;
  lastJobStartedAt: unknown[];
  interruptible: unknown[];
  budgets: unknown[];
  checkpointedAt: unknown[];
  size: Int32Array;
  sizeCount: number;
  firstEntry: Int32Array;
  /** Preliminary numbers, in the order of the input. */
  entryType: Int32Array;
  entryAmount: Float64Array;
}

/** Numbers and priorities that the allocations of a snapshot refer to. */
export interface Named {
  queues: ReadonlyMap<string, number>;
  applications: ReadonlyMap<string, number>;
  priorities: readonly number[];
}
