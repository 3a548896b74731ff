import { readSettings } from '@curtail/contracts';
import type { CurtailSettings, ServiceApp } from '@curtail/platform';
import { ConfigIngestModule } from './config-ingest.module.js';
import { INGEST_SETTINGS } from './ingest-settings.js';

export const configIngestApp = (settings: CurtailSettings): ServiceApp => ({
  name: 'config ingest',
  module: {
    module: ConfigIngestModule,
    providers: [{ provide: INGEST_SETTINGS, useValue: { policy: readSettings(settings.policy) } }],
  },
});
