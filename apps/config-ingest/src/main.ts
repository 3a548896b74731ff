import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { configIngestProgram } from './config-ingest.app.js';

await runAlone(configIngestProgram);
