import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { consoleApp } from './console.app.js';

await runAlone(consoleApp);
