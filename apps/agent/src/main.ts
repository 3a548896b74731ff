import 'reflect-metadata';
import { runProgram } from '@curtail/runtime';
import { agentProgram, startAgent } from './agent-program.js';
import { preferLittleMemory } from './prefer-little-memory.js';

preferLittleMemory();

await runProgram(agentProgram, startAgent);
