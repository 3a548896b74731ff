import type { VictimCause } from '#contracts';

/** By cause, why an allocation is a victim, in words. docs/reference/policies/fair-share.md §13 */
export const fairShareRules: Readonly<Record<VictimCause, string>> = {
  starvation: 'an operation is starving',
  'aggressive-starvation': 'an operation is starving aggressively',
  'resource-limits': 'its operation or a pool above it is over its limits',
  overcommit: 'its node holds more than its capacity',
};
