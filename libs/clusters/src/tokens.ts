/** Nest tokens of the ports: the driver that may evict is asked for by the executor alone. */
export const CLUSTER_READER = Symbol('ClusterReader');
export const CLUSTER_DRIVER = Symbol('ClusterDriver');
