import type { ServiceApp } from '@curtail/platform';
import { ConsoleModule } from './console.module.js';
import { FoldEvents } from './read-model/fold-events.js';

export const consoleApp = (): ServiceApp => ({
  name: 'console',
  module: { module: ConsoleModule },
  consumers: [FoldEvents],
});
