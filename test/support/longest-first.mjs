import Sequencer from '@jest/test-sequencer';

/** Of each lane what takes longest, the longest first, and beside suites that keep a core busy one that waits. */
const long = [
  // slow
  'test/page/page.slow.spec.ts',
  'test/clusters/ytsaurus/ytsaurus.slow.spec.ts',
  'test/readme/guides.slow.spec.ts',
  'test/readme/runbooks.slow.spec.ts',
  'test/faults/yarn-faults.slow.spec.ts',
  'test/faults/distributed/upgrade.slow.spec.ts',
  'test/faults/distributed/distributed-faults.slow.spec.ts',
  'test/e2e/executor-is-stopped.slow.spec.ts',
  'test/faults/deadly-event.slow.spec.ts',
  'test/e2e/distributed.slow.spec.ts',
  'test/e2e/scenarios.slow.spec.ts',
  'test/faults/distributed/controls.slow.spec.ts',
  'test/faults/restart.slow.spec.ts',
  'test/faults/crash-points.slow.spec.ts',
  'test/e2e/servers-come-and-go.slow.spec.ts',
  'test/e2e/skewed-clocks.slow.spec.ts',
  'test/e2e/installed-package.slow.spec.ts',
  'test/page/decisions.slow.spec.ts',
  'test/faults/many-timers.slow.spec.ts',
  'test/faults/distributed/planners.slow.spec.ts',
  'libs/messaging/src/kafka/kafka-bus-faults.slow.spec.ts',
  'test/security/senders.slow.spec.ts',
  'test/security/forgeries.slow.spec.ts',
  'test/e2e/platform-service.slow.spec.ts',
  'libs/messaging/src/kafka/outbox-relay.slow.spec.ts',
  // int
  'test/e2e/operators-view.int.spec.ts',
  'test/e2e/rounds.int.spec.ts',
  'libs/messaging/src/kafka/kafka-bus.int.spec.ts',
  'test/e2e/fair-share.int.spec.ts',
  'test/e2e/rights.int.spec.ts',
  'test/e2e/oidc.int.spec.ts',
  'test/e2e/explain.int.spec.ts',
  'libs/messaging/src/batch.int.spec.ts',
  'test/e2e/http.int.spec.ts',
  'libs/messaging/src/in-process-bus.int.spec.ts',
  'test/e2e/status.int.spec.ts',
  'test/e2e/evictions.int.spec.ts',
];

/**
 * Long suites begin first, so that no core is idle at the end. Jest orders the suites by their last durations, which a fresh clone
 * lacks, or else by the sizes of their files, and some of the longest are the smallest.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path, context }) => {
      const nr = long.findIndex((name) => path === `${context.config.rootDir}/${name}`);
      return nr < 0 ? long.length : nr;
    };
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
}
