import type { EvictionAnnouncement } from '#clusters';
import type { PlannedVictim } from '#enforcement';

/** The announcement to the owner of a victim. */
export function announcementOf(
  partition: string,
  { allocation, uid, application, queue, reason }: PlannedVictim,
  killAt: Date,
): EvictionAnnouncement {
  return { partition, allocation, ...(uid === undefined ? {} : { uid }), application, queue, killAt, reason };
}
