/** Nest token of the address of the config ingest. */
export const CONFIG_INGEST_URL = Symbol('ConfigIngestUrl');
