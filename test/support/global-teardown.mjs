import { rm } from 'node:fs/promises';

export default async function teardown() {
  const { server, dataDir } = globalThis.curtailTestServer;
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
