/** By code, the rules by which the application of a victim gives way, in words. docs/reference/policies/intra-queue.md */
export const intraQueueRules = {
  'lower-priority': 'its priority is lower',
  'user-limit': 'the limit of its user',
} as const;

export type IntraQueueRule = keyof typeof intraQueueRules;
