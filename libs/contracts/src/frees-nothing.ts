/**
 * Whether another run would free nothing either, whatever work there is: what is guaranteed is never evicted.
 *
 * @param blocked the code of what kept the last run from its target.
 */
export const freesNothing = (blocked: string | undefined): boolean => blocked === 'guaranteed-floor';

/** What helps then, without a capital and a full stop. */
export const moreRoom = 'lower what is guaranteed in it, or raise its quota';
