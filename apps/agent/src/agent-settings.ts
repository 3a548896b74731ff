import { oneOf, optionalSetting, setting, word } from '@curtail/platform';

const objectName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Of an agent that runs beside its cluster, as a process of its own. */
export const agentSettings = {
  mode: setting('CURTAIL_MODE', oneOf(['observe', 'enforce']), {
    default: 'observe',
    help: 'enforce: pods are evicted when Curtail asks for it; observe: nothing is written to the cluster, and every request is refused',
  }),
  partition: setting(
    'CURTAIL_AGENT_PARTITION',
    word({ of: /^[a-zA-Z0-9_:#/@.-]{1,64}$/, right: 'up to 64 of a-z 0-9 _ : # / @ . -' }),
    {
      default: 'default',
      help: 'The partition of Curtail that this cluster is; with YuniKorn, which has partitions of its own, it only names the consumer group of the agents',
    },
  ),
  lease: optionalSetting('CURTAIL_AGENT_LEASE', word({ of: objectName, right: 'the name of a Lease' }), {
    help: 'The Lease by which one of several agents acts; unset: there is no other agent',
  }),
  namespace: optionalSetting(
    'CURTAIL_AGENT_NAMESPACE',
    word({ of: objectName, right: 'the name of a namespace' }),
    { help: 'Where that Lease is; unset: the namespace of the pod, or of the context, or curtail' },
  ),
};
