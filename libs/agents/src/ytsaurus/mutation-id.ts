import { createHash } from 'node:crypto';

/**
 * The mutation id of a change, in the form of YTsaurus: `1a2b-3c4d-5e6f-7a8b`. It follows from the id of the eviction, or from the
 * job and the time of its announcement, which Curtail has on record before the agent hears of it: an agent that was started again repeats the change under the same id, and none is carried out twice.
 */
export function mutationId(evictionId: string, step: 'interrupt' | 'abort'): string {
  const digest = createHash('sha256').update(`${evictionId} ${step}`).digest();
  return [0, 4, 8, 12].map((at) => digest.readUInt32BE(at).toString(16)).join('-');
}
