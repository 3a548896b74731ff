export { place, type Workload } from './place.js';
export { SimulatedCluster } from './simulated-cluster.js';
export { SimulatedReaper } from './simulated-reaper.js';
