import type { KubernetesApi } from '@curtail/agents/kubernetes';

/** Files that KUBECONFIG names and that do not exist: one sentence each. They are left out, as kubectl does. */
export function missingKubeconfigs({ missingFiles }: Pick<KubernetesApi, 'missingFiles'>): string[] {
  return missingFiles.map((file) => `KUBECONFIG names ${file}, which does not exist`);
}
