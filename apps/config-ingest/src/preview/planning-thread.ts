import { parentPort } from 'node:worker_threads';
import { InputError } from '@curtail/contracts/plain';
import { planInput } from '@curtail/planning';
import type { Planned, PlanQuestion } from './plan-apart.js';

/* The program of the thread that `PlanApart` starts: makes one plan after the other, and answers each. */
parentPort?.on('message', (question: PlanQuestion) => {
  parentPort?.postMessage(plannedOf(question));
});

function plannedOf(question: PlanQuestion): Planned {
  try {
    return { plan: planInput(question) };
  } catch (error) {
    // Of errors only the message passes between threads.
    if (error instanceof InputError) return { fault: { path: error.path, message: error.message } };
    throw error;
  }
}
