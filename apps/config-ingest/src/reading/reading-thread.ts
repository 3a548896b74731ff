import { parentPort } from 'node:worker_threads';
import { readConfiguration } from '@curtail/configuration';
import type { Reading } from './read-apart.js';

/* The program of the thread that `ReadApart` starts: reads one configuration after another and answers each request. */
parentPort?.on('message', ({ input, options }: Reading) => {
  parentPort?.postMessage(readConfiguration(input, options));
});
