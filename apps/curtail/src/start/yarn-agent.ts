import { YarnCluster } from '#agents/yarn';
import { acceptedEvictions } from '#clusters';
import { isLimitedToObserve } from '#enforcement';
import { troubleLog } from '../../../agent/src/kubernetes/open-kubernetes.js';
import { assertManager, openYarn, openYarnSettings } from '../../../agent/src/yarn/open-yarn.js';
import { type AgentOfKind, agentsInProcess, agentWorker } from './agent-in-process.js';

const partition = 'default';

/** The agent of a YARN cluster, in the process that enforces its quotas. It waits for a manager that is down or on standby. */
export const yarnAgent: AgentOfKind = {
  async check(settings) {
    await openYarnSettings(settings);
    const api = openYarn(settings);
    try {
      await assertManager(api);
    } finally {
      api.close();
    }
  },

  async open(settings, { app, runtime, log }) {
    const api = openYarn(settings);
    const fileSettings = await openYarnSettings(settings);
    log.info({ urls: api.urls }, `Watching YARN at ${api.urls.join(', ')}.`);
    const onTrouble = troubleLog(log);
    const mode = isLimitedToObserve(settings) ? 'observe' : 'enforce';
    let isRecalled = false;
    const pastEvictions = async () => {
      if (isRecalled) return [];
      const accepted = await acceptedEvictions(runtime.database, partition);
      isRecalled = true;
      return accepted;
    };
    const cluster = new YarnCluster({
      ...{ api, partition, settings: fileSettings, mode: () => mode },
      ...{ pastEvictions, onTrouble },
    });
    const agents = agentsInProcess(cluster, { app, runtime, onTrouble });
    return agentWorker(agents, {
      ...{ log, mode, cluster: 'YARN' },
      known: () => ({ partition, what: 'queues, applications, containers and nodes' }),
      close: () => api.close(),
    });
  },
};
