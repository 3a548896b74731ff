import { parentPort } from 'node:worker_threads';
import { checkJson, type JsonQuestion } from './parse-json.js';

/* The program of the threads that `readRequestBody` starts: checks one text of JSON after another and answers each request. */
parentPort?.on('message', (question: JsonQuestion) => {
  parentPort?.postMessage(checkJson(question));
});
