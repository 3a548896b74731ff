import type { KubernetesApi } from '#agents/kubernetes';

/** One sentence for each file of KUBECONFIG that does not exist. Such files are ignored, as kubectl does. */
export function missingKubeconfigs({ missingFiles }: Pick<KubernetesApi, 'missingFiles'>): string[] {
  return missingFiles.map((file) => `KUBECONFIG names ${file}, which does not exist`);
}
