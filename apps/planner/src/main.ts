import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { plannerProgram } from './planner.app.js';

await runAlone(plannerProgram);
