export { loadSimulated } from './load.js';
export { place, type Workload } from './place.js';
export { holdsSample, seedSample } from './sample.js';
export { SimulatedClusterModule } from './simulated.module.js';
export { SimulatedCluster } from './simulated-cluster.js';
