import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { executorProgram } from './executor.app.js';

await runAlone(executorProgram);
