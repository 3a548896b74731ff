/** A CloudEvents source that names the cluster it speaks for: `/clusters/ID/…`. */
const clusterSource = /^\/clusters\/([^/]+)\//;

/**
 * The source of a sender that speaks for one cluster. All reports of a partition that name a cluster have to name the same one
 * (docs/how-to/connect-a-scheduler.md, "Reports that are not taken").
 *
 * @param cluster identifies a cluster, such as the uid of the namespace kube-system.
 * @param sender within that cluster, without a leading slash.
 */
export const sourceOfCluster = (cluster: string, sender: string): string =>
  `/clusters/${encodeURIComponent(cluster)}/${sender}`;

/** The cluster that a source names; undefined if it names none. */
export const clusterOf = (source: string | undefined): string | undefined =>
  source === undefined ? undefined : clusterSource.exec(source)?.[1];

/** A cluster that a source names, as people write it: `yt.example:80`. */
export function shownCluster(cluster: string): string {
  try {
    return decodeURIComponent(cluster);
  } catch {
    return cluster;
  }
}
