import { YtsaurusCluster } from '#agents/ytsaurus';
import { isLimitedToObserve } from '#enforcement';
import { troubleLog } from '../../../agent/src/kubernetes/open-kubernetes.js';
import { assertProxy, delayMsOf, openYtsaurus } from '../../../agent/src/ytsaurus/open-ytsaurus.js';
import { type AgentOfKind, agentsInProcess } from './agent-in-process.js';

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
    return {
      start: async () => {
        if (mode === 'observe') log.info('CURTAIL_MODE=observe: nothing is evicted, whatever mode is set.');
        agents.start().then(
          () =>
            log.info(
              { partition: cluster.partitions[0] },
              `YTsaurus is known: pools, operations, jobs and nodes of the tree ${cluster.partitions[0]} are reported.`,
            ),
          (error: Error) => log.error({ err: error }, 'Could not start the agent of YTsaurus.'),
        );
      },
      stop: async () => {
        await agents.stop();
        api.close();
      },
    };
  },
};
