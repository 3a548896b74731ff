import 'reflect-metadata';
import { runAlone } from '#runtime';
import { plannerProgram } from './planner.app.js';

await runAlone(plannerProgram);
