import type { ConfigurationFormat } from '#contracts';

/** Names without case and separators, each with the one that is meant. */
const meanings: Record<string, string> = {
  vcore: 'vcore',
  ...named('vcore', ['vcores', 'cpu', 'cpus', 'vcpu', 'vcpus', 'core', 'cores', 'requestscpu', 'limitscpu']),
  memory: 'memory',
  ...named('memory', ['mem', 'ram', 'memorymb', 'memorymib', 'memories', 'requestsmemory', 'limitsmemory']),
  nvidiacomgpu: 'nvidia.com/gpu',
  ...named('nvidia.com/gpu', [
    'gpu',
    'gpus',
    'nvidiagpu',
    'nvidiagpus',
    'nvidiacomgpus',
    'yarniogpu',
    'requestsnvidiacomgpu',
  ]),
  pods: 'pods',
  ...named('pods', ['pod', 'countpods']),
  ephemeralstorage: 'ephemeral-storage',
};

function named(meant: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, meant]));
}

const letters = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * The resource type that a name of another system means (`vcores` of YARN, `CPU`, `mem`, `gpu`); undefined for a type that may exist under
 * this very name.
 *
 * @param known the types of the cluster, which may have a GPU of another kind; absent: they are not known.
 */
export function typeMeant(
  type: string,
  format: ConfigurationFormat = 'yunikorn',
  known?: ReadonlySet<string>,
): string | undefined {
  const meant = meanings[letters(type)];
  if (meant === undefined || meant === type) return undefined;
  if (meant !== 'nvidia.com/gpu') return meant;
  const ofYarn = 'yarn.io/gpu';
  const own = format === 'capacity-scheduler' ? ofYarn : meant;
  if (type === own) return undefined;
  return known?.has(own) === false ? ([...known].find((name) => name.endsWith('/gpu')) ?? own) : own;
}
