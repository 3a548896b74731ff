import type { Place } from '../problems.js';

/** One setting of a Hadoop configuration: name and value trimmed, with the place of the value. */
export interface Property extends Place {
  name: string;
  value: string;
}
