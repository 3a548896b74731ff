/* Loaded only where a configuration has freezes: their rules need a library that takes long to load. */
export { readConfiguredWindow as checkWindow } from '#holds/freezes';
