import { parentPort } from 'node:worker_threads';
import { planOrFault } from '#planning';

/* The program of the thread that `PlanInThread` starts: makes one plan after another and answers each request. */
parentPort?.on('message', (question: unknown) => {
  parentPort?.postMessage(planOrFault(question));
});
