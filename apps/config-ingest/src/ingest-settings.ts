import type { ReadSettings } from '@curtail/contracts';

export interface IngestSettings {
  policy: ReadSettings;
}
export const INGEST_SETTINGS = Symbol('IngestSettings');
