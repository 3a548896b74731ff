import { parentPort, workerData } from 'node:worker_threads';
import { readConfiguration } from '@curtail/contracts';
import type { Reading } from './read-apart.js';

/* The program of the thread that `ReadApart` starts: reads one configuration, answers, and ends. */
const { input, options } = workerData as Reading;
parentPort?.postMessage(readConfiguration(input, options));
