import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { timerApp } from './timer.app.js';

await runAlone(timerApp);
