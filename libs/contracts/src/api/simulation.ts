import type { Resources } from '../planning/resources.js';

export interface ApplicationWork {
  application: string;
  queue: string;
  user: string | null;
  priority: number;
  /** Among the operations of its pool, where fair-share was given one. */
  weight: number | null;
  running: number;
  leaving: number;
  waiting: number;
  usage: Resources;
}
