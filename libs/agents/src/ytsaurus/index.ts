export {
  assertConnected,
  listOperations,
  readTreeLimits,
  readTreeNodes,
  type TreeLook,
  takeLook,
} from './look.js';
export { type PlannedTree, plannedTree } from './planned-tree.js';
export { assertTreeName, chooseTree, readPoolTree } from './pool-tree.js';
export { SavedYtAnswers } from './saved-answers.js';
export { readTokenFile } from './token-file.js';
export { YtApi, type YtReads } from './yt-api.js';
export { isPassing, YtError } from './yt-error.js';
export { YtInventory } from './yt-inventory.js';
export { YtsaurusCluster } from './ytsaurus-cluster.js';
