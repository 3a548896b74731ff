import 'reflect-metadata';
import { runAlone } from '@curtail/runtime';
import { timerProgram } from './timer.app.js';

await runAlone(timerProgram);
