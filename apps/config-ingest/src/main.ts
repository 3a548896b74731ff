import 'reflect-metadata';
import { runAlone } from '@curtail/platform';
import { configIngestApp } from './config-ingest.app.js';

await runAlone(configIngestApp);
