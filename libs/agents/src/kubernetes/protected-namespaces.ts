const ofTheSystem = ['kube-system', 'kube-public', 'kube-node-lease'];

/**
 * Namespaces whose pods are never evicted: those of the system, Curtail's own, and those that an administrator names.
 *
 * @param own the namespaces of Curtail, as far as known.
 */
export function protectedNamespaces(
  named: readonly string[],
  own: readonly (string | undefined)[],
): ReadonlySet<string> {
  return new Set([...ofTheSystem, ...named, ...own.filter((one) => one !== undefined)]);
}
