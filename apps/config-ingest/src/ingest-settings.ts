import type { ReadSettings } from '@curtail/contracts';

export interface IngestSettings {
  policy: ReadSettings;
  /** What the executor goes by, for previews: they say what a run would wait for, and how long it would take. */
  defaultMode: 'observe' | 'enforce';
  approveAboveVictims: number;
  approveAbovePercent: number;
  victimsPerSecond: number;
  graceSeconds: number;
  /** Allocations that a plan may read. */
  mostAllocations: number;
  /** Limits of the plans of one preview. */
  previewSeconds: number;
  previewMegabytes: number;
}
export const INGEST_SETTINGS = Symbol('IngestSettings');
