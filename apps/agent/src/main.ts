import 'reflect-metadata';
import { runProgram } from '@curtail/platform';
import { agentProgram, startAgent } from './agent-program.js';

await runProgram(agentProgram, startAgent);
