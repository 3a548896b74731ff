import { CodedError } from '#contracts';

/** Kubernetes, or the access to it, cannot be used as it is; `code` names why. */
export class KubernetesError extends CodedError {}
