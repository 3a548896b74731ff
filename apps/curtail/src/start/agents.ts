import { type CurtailSettings, isWatchedKind, type WatchedKind } from '#runtime';
import type { AgentOfKind } from './agent-in-process.js';

/** Each is loaded only where it is used. */
const agents: Record<WatchedKind, () => Promise<AgentOfKind>> = {
  kubernetes: async () => (await import('./kubernetes-agent.js')).kubernetesAgent,
  yarn: async () => (await import('./yarn-agent.js')).yarnAgent,
  ytsaurus: async () => (await import('./ytsaurus-agent.js')).ytsaurusAgent,
};

/** The agent of the cluster of these settings; undefined: it is simulated, or reported by others. */
export async function agentOf({ cluster }: CurtailSettings): Promise<AgentOfKind | undefined> {
  return isWatchedKind(cluster) ? agents[cluster]() : undefined;
}
