import { rm } from 'node:fs/promises';

export default async function teardown() {
  if (!globalThis.curtailTestServers) return;
  const { servers, dataDir } = globalThis.curtailTestServers;
  await Promise.all(servers.map((server) => server.stop()));
  await rm(dataDir, { recursive: true, force: true });
}
