import { parentPort } from 'node:worker_threads';
import { type AnyReading, readAny } from './reading.js';

/* The program of the thread that `ReadInThread` starts: reads one configuration after another and answers each request. */
parentPort?.on('message', (reading: AnyReading) => {
  parentPort?.postMessage(readAny(reading));
});
