/** Nest token of the address of config-ingest. */
export const CONFIG_INGEST_URL = Symbol('ConfigIngestUrl');
