import type { RecordedNotice } from './events/shapes.js';

/** The subject of a notice or a reason, for programs; its sentence is for people. */
export interface Subject {
  kind: 'partition' | 'queue' | 'pool' | 'operation' | 'application' | 'allocation' | 'node' | 'enforcement';
  /** The path of a queue or pool, the id of anything else. */
  name: string;
  /** Of an operation, application or allocation: its queue or pool, where that is known. */
  queue?: string;
}

export const ofPartition = (name: string): Subject => ({ kind: 'partition', name });

export const ofQueue = (name: string): Subject => ({ kind: 'queue', name });

export const ofApplication = (name: string): Subject => ({ kind: 'application', name });

/** One run, by its id. */
export const ofEnforcement = (name: string): Subject => ({ kind: 'enforcement', name });

/** The queue or pool that a subject is, or is in; undefined: none, or unknown. */
export function queueOfSubject({
  kind,
  name,
  queue,
}: NonNullable<RecordedNotice['about']>): string | undefined {
  return kind === 'queue' || kind === 'pool' ? name : queue;
}
