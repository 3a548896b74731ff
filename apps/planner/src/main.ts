import 'reflect-metadata';
import { runAlone } from '@curtail/runtime';
import { plannerProgram } from './planner.app.js';

await runAlone(plannerProgram);
