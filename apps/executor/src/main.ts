import 'reflect-metadata';
import { runAlone } from '#runtime';
import { executorProgram } from './executor.app.js';

await runAlone(executorProgram);
