import { type PlanOrFault, planOrFault } from '#planning';

/** The input of a plan as a client sends it, or its text of JSON where that is long. */
export type GivenPlan = { input: unknown } | { text: string };

export const planGiven = (given: GivenPlan): PlanOrFault =>
  planOrFault('text' in given ? JSON.parse(given.text) : given.input);
