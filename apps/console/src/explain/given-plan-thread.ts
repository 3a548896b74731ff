import { parentPort } from 'node:worker_threads';
import { type GivenPlan, planGivenOrFault } from './plan-given-in-thread.js';

/* The program of the threads that `PlanGivenInThread` starts: makes one plan after another and answers each request. */
parentPort?.on('message', (given: GivenPlan) => {
  parentPort?.postMessage(planGivenOrFault(given));
});
