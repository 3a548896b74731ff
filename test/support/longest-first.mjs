import Sequencer from '@jest/test-sequencer';

/** What takes a minute or so, the longest first, and beside suites that keep a core busy one that waits. */
const long = [
  'test/faults/distributed/upgrade.int.spec.ts',
  'test/faults/distributed/distributed-faults.int.spec.ts',
  'test/e2e/executor-is-stopped.int.spec.ts',
  'test/page/page.int.spec.ts',
  'test/faults/deadly-event.int.spec.ts',
  'test/e2e/distributed.int.spec.ts',
  'test/e2e/scenarios.int.spec.ts',
  'test/faults/restart.int.spec.ts',
  'test/e2e/servers-come-and-go.int.spec.ts',
  'test/faults/crash-points.int.spec.ts',
  'test/e2e/skewed-clocks.int.spec.ts',
  'test/faults/distributed/planners.int.spec.ts',
  'test/readme/guides.int.spec.ts',
  'libs/messaging/src/kafka/kafka-bus.int.spec.ts',
  'test/faults/deadly-run.int.spec.ts',
  'test/e2e/fair-share.int.spec.ts',
  'apps/console/src/replay/projections/build-projections.int.spec.ts',
  'libs/messaging/src/kafka/kafka-bus-faults.int.spec.ts',
  'test/e2e/restore.int.spec.ts',
  'test/faults/many-timers.int.spec.ts',
  'test/faults/distributed/controls.int.spec.ts',
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
