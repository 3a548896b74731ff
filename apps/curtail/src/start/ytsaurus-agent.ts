import { YtsaurusCluster } from '#agents/ytsaurus';
import { isLimitedToObserve } from '#enforcement';
import { troubleLog } from '../../../agent/src/kubernetes/open-kubernetes.js';
import { assertProxy, delayMsOf, openYtsaurus } from '../../../agent/src/ytsaurus/open-ytsaurus.js';
import { type AgentOfKind, agentsInProcess, agentWorker } from './agent-in-process.js';

/** The agent of a pool tree of YTsaurus, in the process that plans for it. It waits for a proxy that is down. */
export const ytsaurusAgent: AgentOfKind = {
  async check(settings) {
    const api = await openYtsaurus(settings);
    try {
      await assertProxy(api, settings.ytsaurusTree);
    } finally {
      api.close();
    }
  },

  async open(settings, { app, runtime, log }) {
    const api = await openYtsaurus(settings);
    log.info({ urls: api.urls }, `Watching YTsaurus at ${api.urls.join(', ')}.`);
    const onTrouble = troubleLog(log);
    const mode = isLimitedToObserve(settings) ? 'observe' : 'enforce';
    const cluster = new YtsaurusCluster({
      api,
      tree: settings.ytsaurusTree,
      delayMs: delayMsOf(settings),
      mode: () => mode,
      now: () => runtime.clock.now(),
      onTrouble,
    });
    const agents = agentsInProcess(cluster, { app, runtime, onTrouble });
    return agentWorker(agents, {
      ...{ log, mode, cluster: 'YTsaurus' },
      known: () => {
        const [partition] = cluster.partitions;
        return { partition, what: `pools, operations, jobs and nodes of the tree ${partition}` };
      },
      close: () => api.close(),
    });
  },
};
