import { parentPort } from 'node:worker_threads';
import { type RemakeQuestion, remade } from '#replay';

/* The program of the threads that `RemakeInThread` starts: recomputes one plan after another and answers each request. */
parentPort?.on('message', async (question: RemakeQuestion) => {
  parentPort?.postMessage(await remade(question));
});
