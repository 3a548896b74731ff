import { connect } from 'node:net';
import { Kafka, logLevel } from 'kafkajs';

/**
 * Whether the broker of that node serves clients on the port. The port opens only once the cluster has let the broker in; asking
 * who is in the cluster then distinguishes our broker from another on its port, and a frozen one from one that runs.
 */
export async function servesClients(nodeId: number, port: number): Promise<boolean> {
  if (!(await accepts(port))) return false;
  const kafka = new Kafka({
    clientId: 'curtail-infra',
    brokers: [`127.0.0.1:${port}`],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 1000,
    requestTimeout: 2000,
    retry: { retries: 0 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers, controller } = await admin.describeCluster();
    return controller !== null && brokers.some((broker) => broker.nodeId === nodeId && broker.port === port);
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => {});
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
