import type { Place } from '@curtail/contracts/api';

/** One setting of a Hadoop configuration: name and value trimmed, with the place of the value. */
export interface Property extends Place {
  name: string;
  value: string;
}
