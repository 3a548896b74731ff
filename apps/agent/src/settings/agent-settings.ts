import { kindOf, oneOf, optionalSetting, setting, word } from '#platform';
import { watchedKinds } from '#runtime';

const objectName = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const right = 'the name of a Lease, or namespace/name';
const lease = kindOf(
  right,
  word({ of: new RegExp(`^(?:${objectName}/)?${objectName}$`), right }).transform((text) => {
    const [name = '', namespace] = text.split('/').reverse();
    return { name, namespace };
  }),
);

/** Settings of an agent that runs beside its cluster in its own process. */
export const agentSettings = {
  kind: setting('CURTAIL_AGENT_CLUSTER', oneOf(watchedKinds), {
    default: 'kubernetes',
    help: 'The kind of the cluster that the agent runs beside',
  }),
  mode: setting('CURTAIL_MODE', oneOf(['observe', 'enforce']), {
    default: 'observe',
    help: 'enforce: pods or containers are evicted when Curtail asks for it; observe: nothing is written to the cluster, and every request is refused',
  }),
  partition: setting(
    'CURTAIL_AGENT_PARTITION',
    word({ of: /^[a-zA-Z0-9_:#/@.-]{1,64}$/, right: 'up to 64 of a-z 0-9 _ : # / @ . -' }),
    {
      default: 'default',
      help: 'The partition of this cluster in Curtail; with YuniKorn, which has its own partitions, it only names the consumer group of the agents; with YTsaurus it is not used: there the tree names both',
    },
  ),
  lease: optionalSetting('CURTAIL_AGENT_LEASE', lease, {
    help: 'The Lease that selects the active one of several agents, in the namespace of the pod or of the context, or else curtail, unless one is named; unset: there is only one agent. For Kubernetes; agents of YARN and YTsaurus choose the active one by a consumer group of Kafka',
  }),
};
