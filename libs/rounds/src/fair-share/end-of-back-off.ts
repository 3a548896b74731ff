import type { PolicySettings } from '#configuration';
import type { ClusterSnapshot, Plan } from '#contracts';
import { toInstant } from '#enforcement';

/**
 * If an element still starves: when the first node leaves its back-off, counting back-offs that this plan causes. A
 * back-off may be so long that its end is beyond the last date.
 */
export function endOfBackOff(
  { takenAt, nodes = [] }: Pick<ClusterSnapshot, 'takenAt' | 'nodes'>,
  { reasons = [], starts = [] }: Pick<Plan, 'reasons' | 'starts'>,
  { preemptiveSchedulingBackoff }: PolicySettings,
): Date | undefined {
  if (!reasons.some(({ cause, answered }) => !answered && cause.endsWith('starvation'))) return undefined;
  const backOffMs = typeof preemptiveSchedulingBackoff === 'number' ? preemptiveSchedulingBackoff : 5000;
  const at = Date.parse(takenAt);
  const used = nodes.flatMap(({ properties }) => {
    const last = properties?.lastPreemptiveSchedulingAt;
    return typeof last === 'string' ? [Math.min(Date.parse(last), at)] : [];
  });
  if (starts.some(({ victims }) => victims.length > 0)) used.push(at);
  const ends = used.map((last) => last + backOffMs + 1).filter((end) => end > at);
  const first = ends.reduce((earliest, end) => Math.min(earliest, end), Number.POSITIVE_INFINITY);
  return ends.length === 0 ? undefined : new Date(toInstant(first));
}
