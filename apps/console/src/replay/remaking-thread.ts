import { parentPort } from 'node:worker_threads';
import { remade } from './made-again.js';
import type { RemakeQuestion } from './remake-apart.js';

/* The program of the threads that `RemakeApart` starts: recomputes one plan after another and answers each request. */
parentPort?.on('message', async (question: RemakeQuestion) => {
  parentPort?.postMessage(await remade(question));
});
