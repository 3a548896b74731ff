import 'reflect-metadata';
import { runAlone } from '@curtail/runtime';
import { configIngestProgram } from './config-ingest.app.js';

await runAlone(configIngestProgram);
