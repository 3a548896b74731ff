import { InputError, type Plan } from '@curtail/contracts';
import { planGiven } from './plan.js';

/** A plan, or what is wrong with the input: of errors only the message passes between threads. */
export type PlanOrFault = { plan: Plan } | { fault: { path: string; message: string } };

/** `planGiven` for a thread. @throws what is no fault of the input. */
export function planOrFault(input: unknown): PlanOrFault {
  try {
    return { plan: planGiven(input) };
  } catch (error) {
    if (error instanceof InputError) return { fault: { path: error.path, message: error.message } };
    throw error;
  }
}

/** The plan again. @throws InputError for what cannot be planned. */
export function planOf(planned: PlanOrFault): Plan {
  if ('fault' in planned) throw new InputError(planned.fault.path, planned.fault.message);
  return planned.plan;
}
