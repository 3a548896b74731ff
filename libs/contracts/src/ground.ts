/** What the commands of operators need of the contracts: errors, places, words and amounts of messages. A stop must not wait for the rest. */

export { BrokenInvariant, CodedError, CurtailError } from './curtail-error.js';
export { InputError } from './input-error.js';
export { isObject, isPlainObject } from './is-object.js';
export { defaultPartition, partitionOptionText, placeOptions } from './partition-option.js';
export { amountText } from './planning/amount-text.js';
export {
  nodeLabelsField,
  nodeLabelsIn,
  nodeLabelsOf,
  nodeLabelsProperty,
  nodeLabelsRemedy,
  nodeLabelsSentence,
  nodeLabelsText,
  unnamedLabels,
} from './planning/node-labels.js';
export {
  ancestors,
  COVERS,
  chain,
  chainFromRoot,
  covers,
  depth,
  isWithin,
  withAncestors,
} from './queue-path.js';
export {
  freesNothing,
  moreRoom,
  possiblyEvictedCodes,
  type RunStatus,
  runStates,
  waitingForApproval,
} from './run-states.js';
export {
  amountsOfLimit,
  type ClusterShare,
  type ComparableLimit,
  clusterSize,
  comparableLimits,
  type Limit,
  resolveShares,
  shareText,
} from './shares/cluster-share.js';
export {
  counted,
  cutShort,
  didYouMean,
  fieldPath,
  firstOf,
  isOnByDefault,
  meantQueue,
  nearestOf,
  quoted,
  shown,
} from './words.js';
