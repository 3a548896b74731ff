import { CLUSTER_DRIVER, CLUSTER_READER, SimulatedCluster, SimulatedClusterModule } from '@curtail/clusters';
import type { Provider } from '@nestjs/common';

/** The cluster that the apps of a process look at, and may evict from. */
export const simulatedCluster: { imports: (typeof SimulatedClusterModule)[]; providers: Provider[] } = {
  imports: [SimulatedClusterModule],
  providers: [
    { provide: CLUSTER_DRIVER, useExisting: SimulatedCluster },
    { provide: CLUSTER_READER, useExisting: SimulatedCluster },
  ],
};
