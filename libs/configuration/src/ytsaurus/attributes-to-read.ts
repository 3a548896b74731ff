import { isObject } from '#contracts';
import { attributesOfCurtail, attributesOfPool, limitsOfPool, olderNames } from './attributes.js';

/** The attributes of a tree and its pools that a configuration of pool trees can have, for who reads them from YTsaurus. */
export const attributesOfPoolTrees: readonly string[] = [
  'config',
  ...attributesOfCurtail,
  ...limitsOfPool,
  ...Object.keys(attributesOfPool),
  ...Object.entries(olderNames).flatMap(([older, name]) =>
    Object.hasOwn(attributesOfPool, name) ? [older] : [],
  ),
];

/** Nothing starves for so long. */
const neverMs = 86_400_000;

/** Whether YTsaurus's own scheduler preempts for what starves in a tree, by the `config` of that: not with a timeout of a day or more. */
export function preemptsByItself(config: unknown): boolean {
  if (!isObject(config)) return true;
  const { fair_share_starvation_timeout: timeout, fair_share_preemption_timeout: older } = config as Record<
    string,
    unknown
  >;
  const ms = timeout ?? older;
  return !(typeof ms === 'number' && ms >= neverMs);
}
