import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { plannerApp } from './planner.app.js';

await runAlone(plannerApp);
