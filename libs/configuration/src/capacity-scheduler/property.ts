import type { Place } from '#contracts/api';

/** One setting of a Hadoop configuration: name and value trimmed, with the place of the value. */
export interface Property extends Place {
  name: string;
  value: string;
  /** The key has a second value elsewhere, so neither counts; a problem says so. */
  isAmbiguous?: boolean;
}
