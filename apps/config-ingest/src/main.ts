import 'reflect-metadata';
import { runAlone } from '#runtime';
import { configIngestProgram } from './config-ingest.app.js';

await runAlone(configIngestProgram);
