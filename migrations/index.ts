import { SimulatedCluster1763740002000 } from './1763740002000-simulated-cluster.js';

export const migrations = [SimulatedCluster1763740002000];
