/** Codes of victims that Curtail may have evicted: the answers to its requests were lost. Owner budgets and ceilings count them. */
export const possiblyEvictedCodes: readonly string[] = ['gone-after-request', 'outcome-unknown'];
