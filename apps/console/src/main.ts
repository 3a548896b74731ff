import 'reflect-metadata';
import { runAlone } from '#runtime';
import { consoleProgram } from './console.app.js';

await runAlone(consoleProgram);
