/** Nest tokens of the ports. Only the executor injects the driver, which can evict. */
export const CLUSTER_READER = Symbol('ClusterReader');
export const CLUSTER_DRIVER = Symbol('ClusterDriver');
