import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { timerProgram } from './timer.app.js';

await runAlone(timerProgram);
