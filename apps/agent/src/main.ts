import 'reflect-metadata';
import { runProgram } from '#runtime';
import { agentProgram, startAgent } from './agent-program.js';
import { preferLittleMemory } from './prefer-little-memory.js';

preferLittleMemory();

await runProgram(agentProgram, startAgent);
