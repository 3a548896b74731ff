import 'reflect-metadata';
import { runAlone } from '@curtail/runtime';
import { consoleProgram } from './console.app.js';

await runAlone(consoleProgram);
