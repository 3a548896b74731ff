export {
  type ConfiguredFreeze,
  configuredFreezes,
  readConfiguredWindow,
} from './configured-freezes.js';
export { type Freeze, intervalAt, nextInterval } from './freeze.js';
export { frozenClock } from './in-effect.js';
export { type GivenWindow, readWindow } from './read-window.js';
export { instantOf } from './time-zones.js';
