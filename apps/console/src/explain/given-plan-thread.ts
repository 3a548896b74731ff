import { parentPort } from 'node:worker_threads';
import { planOrFault } from '@curtail/planning';

/* The program of the thread that `PlanGivenApart` starts: makes one plan after another and answers each request. */
parentPort?.on('message', (input: unknown) => {
  parentPort?.postMessage(planOrFault(input));
});
