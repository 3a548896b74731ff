import 'reflect-metadata';
import { runAlone } from '#runtime';
import { timerProgram } from './timer.app.js';

await runAlone(timerProgram);
