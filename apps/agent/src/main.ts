import 'reflect-metadata';
import { runProgram } from '@curtail/platform';
import { agentProgram, startAgent } from './agent-program.js';
import { preferLittleMemory } from './prefer-little-memory.js';

preferLittleMemory();

await runProgram(agentProgram, startAgent);
