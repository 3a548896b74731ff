import 'reflect-metadata';
import { runAlone } from '@curtail/runtime';
import { executorProgram } from './executor.app.js';

await runAlone(executorProgram);
