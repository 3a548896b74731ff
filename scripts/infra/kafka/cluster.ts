import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFolder } from '../server/own-folder.js';
import { freePorts } from '../server/ports.js';
import { type KafkaServer, openKafka } from './kafka.js';

export interface KafkaCluster {
  /** By node id, from 1; each can be stopped, killed and started by itself. */
  nodes: KafkaServer[];
  /** Of all, as clients take them. */
  brokers: string[];
  remove(): Promise<void>;
}

/**
 * Starts three brokers that keep three copies of everything, and acknowledge what two have: one may be lost. Some 500 MB, and 8 s
 * on a quiet machine.
 */
export async function startKafkaCluster({
  settings,
}: {
  /** Further properties of each, as in server.properties. */
  settings?: Record<string, string | number>;
} = {}): Promise<KafkaCluster> {
  const folder = ownFolder();
  const ids = [1, 2, 3];
  const free = await freePorts(ids.flatMap((id) => [`client-${id}`, `controller-${id}`]));
  const ports = (id: number) => ({
    client: free[`client-${id}`] as number,
    controller: free[`controller-${id}`] as number,
  });
  const controllerPorts = new Map(ids.map((id) => [id, ports(id).controller]));
  const nodes = await Promise.all(
    ids.map((nodeId) => {
      const own = join(folder, `node-${nodeId}`);
      mkdirSync(own);
      return openKafka({ folder: own, ports: ports(nodeId), settings }, { nodeId, controllerPorts });
    }),
  );
  const remove = async () => {
    await Promise.all(nodes.map((node) => node.remove()));
    await rm(folder, { recursive: true, force: true });
  };
  const outcomes = await Promise.allSettled(nodes.map((node) => node.start()));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await remove();
    throw failed.reason;
  }
  return { nodes, brokers: nodes.flatMap(({ brokers }) => brokers), remove };
}
