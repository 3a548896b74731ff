import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { executorApp } from './executor.app.js';

await runAlone(executorApp);
