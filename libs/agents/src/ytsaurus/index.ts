export {
  assertConnected,
  listOperations,
  readTreeNodes,
  type TreeLook,
  takeLook,
} from './look.js';
export { plannedTree } from './planned-tree.js';
export { chooseTree, readPoolTree } from './pool-tree.js';
export { SavedYtAnswers } from './saved-answers.js';
export { readTokenFile } from './token-file.js';
export { YtApi, type YtReads } from './yt-api.js';
export { YtError } from './yt-error.js';
export { YtInventory } from './yt-inventory.js';
export { YtsaurusCluster } from './ytsaurus-cluster.js';
