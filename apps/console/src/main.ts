import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { consoleProgram } from './console.app.js';

await runAlone(consoleProgram);
